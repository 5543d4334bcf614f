import type { Scene } from "./scene.ts";
import { URL_ } from "../fan.ts";

const PARTNER = process.env.PLATEIA_PARTNER ?? ""; // where plateia dev serves a partner's pages

/** One of the partner's pages, once its map is there. */
const partners = (name: string, path: string): Scene => ({
  name: `partner-${name}`, run: async ({ camera, fan }) => {
    if (!PARTNER) return console.log("no partner's address: PLATEIA_PARTNER");
    const page = await fan();
    await page.goto(`${PARTNER}${path}`);
    await page.locator("plateia-map").first().waitFor();
    await page.waitForTimeout(5000); // maps of several kinds: no one thing says that they are drawn
    await camera.take(page, `partner-${name}`);
  },
});

/** What a partner has: the seats in their pages, and our page that says how. */
export const partner: Scene[] = [
  partners("page", "/"), partners("hostile", "/hostile"), partners("frame", "/frame"), partners("unknown", "/?event=5ad10000-0000-4000-8000-0000000000ff"),
  {
    name: "partner-docs", run: async ({ camera, fan }) => {
      const page = await fan();
      await page.goto(`${URL_}/embed`);
      await page.waitForSelector("h1, p");
      await camera.take(page, "partner-docs");
    },
  },
];
