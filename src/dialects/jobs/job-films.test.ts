import { describe, expect, test } from "bun:test";
import type { VideoRequest } from "../../operations/videos/video.ts";
import { JobBody } from "./job-body.ts";
import { type FilmInput, filmInputOf, fitFilm } from "./job-films.ts";

const asked: VideoRequest = {
  model: "film",
  stream: false,
  jobId: "video_1",
  prompt: "A cat",
  seconds: undefined,
  size: undefined,
  image: null,
  remixOf: null,
  otherFields: {},
};
const veo: FilmInput = {
  duration: "seconds",
  ratios: ["16:9", "9:16"],
  resolutions: ["720p", "1080p"],
  image: "image_url",
};

const inputOf = (request: Partial<VideoRequest>, family: Partial<FilmInput> = {}) =>
  filmInputOf({ ...asked, ...request }, { ...veo, ...family }, new JobBody());

describe("the input of a film", () => {
  test.each<[Partial<VideoRequest>, Partial<FilmInput>, object]>([
    [{}, {}, {}],
    [{ seconds: 8 }, {}, { duration: "8s" }],
    [{ seconds: 8 }, { duration: "text" }, { duration: "8" }],
    [{ seconds: 8 }, { duration: "number" }, { duration: 8 }],
    [{ size: "1280x720" }, {}, { aspect_ratio: "16:9", resolution: "720p" }],
    [{ size: "1024x1792" }, {}, { aspect_ratio: "9:16", resolution: "1080p" }],
    [{ size: "3840x2160" }, {}, { aspect_ratio: "16:9", resolution: "1080p" }],
    [{ size: "1280x720" }, { resolutions: null }, { aspect_ratio: "16:9" }],
    [{ size: "1280x720" }, { ratios: null }, {}],
    [{ size: "9:16" }, {}, { aspect_ratio: "9:16" }],
    [{ image: { kind: "url", url: "https://a.example/b.png" } }, {}, { image_url: "https://a.example/b.png" }],
    [
      { otherFields: { seed: "7", cfg_scale: 0.5, negative_prompt: "blur", other: 1 } },
      {},
      { seed: 7, cfg_scale: 0.5, negative_prompt: "blur" },
    ],
  ])("asked with %j by a family with %j is %j", (request, family, expected) => {
    expect(inputOf(request, family)).toEqual({ prompt: "A cat", ...expected });
  });

  test.each([["1024x1024"], ["0x720"]])("has no size %s", (size) => {
    expect(() => inputOf({ size })).toThrow(/size|ratios/);
  });
});

test("what a family has no word for is refused or warned of", () => {
  const fit = (request: Partial<VideoRequest>, family: Partial<FilmInput>) =>
    fitFilm({ ...asked, ...request }, { ...veo, ...family });
  expect(() => fit({ seconds: 8 }, { duration: null })).toThrow("one length");
  expect(fit({ size: "1280x720", otherFields: { seed: 1, other: 2 } }, { ratios: null })).toEqual(["size", "other"]);
  const remixOf = { jobId: "video_0", provider: "fal", job: { id: "1", model: "film", data: {} } };
  expect(() => fit({ remixOf }, {})).toThrow("does not change films");
});
