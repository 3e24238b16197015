import { z } from "zod";

/** A route that is tried before it is stored, and the request to try it with. */
export const draftInput = z.strictObject({
  id: z.string().meta({ description: "The name of the route." }),
  route: z.looseObject({}).meta({ description: "As `PUT /api/admin/routes/{id}` takes it." }),
  request: z
    .looseObject({})
    .default({})
    .meta({ description: "A body of the endpoint; its `model` is the name of the route." }),
});
