import { THEATRE, URL_ } from "../fan.ts";
import type { Scene } from "./scene.ts";

/** The operators' console. */
export const console_: Scene[] = [
  {
    name: "console", run: async ({ camera, fan }) => {
      const page = await fan();
      await page.goto(`${URL_}/console#${THEATRE}`);
      await page.waitForSelector("#op-enter");
      await camera.take(page, "console-door");
      await page.fill('input[name="who"]', "Ana of the night shift");
      await page.fill('input[name="key"]', process.env.PLATEIA_OPERATOR_KEY ?? "");
      await page.click("#op-enter");
      await page.waitForSelector("#op-room-title");
      await camera.take(page, "console", { whole: true });
      await page.click('#tabs a[href="#partners"]');
      await page.waitForSelector("#op-partner-title");
      await page.check('input[value="some"]');
      await page.fill('input[name="event"]', "noite");
      await page.waitForSelector(".op-rows button[title='Add']");
      await camera.take(page, "console-partners", { whole: true });
      await page.click('#op-partners a[href="#partners/new"]');
      await page.waitForSelector("#op-partner-title:has-text('Add')");
      await camera.take(page, "console-partner-new", { whole: true });
    },
  },
];
