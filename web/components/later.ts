import { type ComponentType, lazy, type LazyExoticComponent } from "react";

/** Milliseconds in which a page gets its data, before what it may need later. */
const dataMs = 400;
let show = () => {};
const isShown = new Promise<void>((resolve) => {
  show = resolve;
});

/** Says that the first page is there, so that what is needed later may be loaded. */
export function firstPageIsThere(): void {
  setTimeout(show, dataMs);
}

/**
 * A component that is loaded after what the first page shows at once. Until then its `Suspense` shows something in its place
 * that takes the same room.
 */
export function later<Props>(load: () => Promise<ComponentType<Props>>): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    await isShown;
    return { default: await load() };
  });
}

/** A component that nothing shows until it is asked for: loaded then, or beforehand once the first page is there. */
export function onDemand<Props>(load: () => Promise<ComponentType<Props>>): LazyExoticComponent<ComponentType<Props>> {
  // A failure shows when it is needed.
  void isShown.then(load).catch(() => undefined);
  return lazy(async () => ({ default: await load() }));
}
