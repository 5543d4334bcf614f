import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { newFan } from "../browser.ts";
import type { Camera } from "./camera.ts";

/** What a scene works with. */
export interface Stage {
  camera: Camera;
  /** A fan with a browser of their own. */
  fan(options?: BrowserContextOptions): Promise<Page>;
}

/** Some states that are reached one after another. */
export interface Scene { name: string; run(stage: Stage): Promise<void> }

export const stageFor = (browser: Browser, camera: Camera): Stage => ({
  camera, fan: async (options) => (await newFan(browser, options)).page,
});

/** Changes the JSON of the product's answers to these requests, for what it says rarely. */
export async function altered<T>(page: Page, url: string | RegExp, change: (answer: T) => unknown): Promise<void> {
  await page.route(url, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: change((await answer.json()) as T) }).catch(() => {}); // a page that has left does not mind
  });
}

/** Refuses these requests with a problem, as the API does. */
export const refused = (page: Page, url: string | RegExp, status: number, code: string, more: object = {}): Promise<unknown> =>
  page.route(url, (route) => route.fulfill({ status, contentType: "application/problem+json", json: { type: "about:blank", title: code, status, code, ...more } }));

/** Never answers these requests. */
export const silent = (page: Page, url: string | RegExp): Promise<unknown> => page.route(url, () => {});
