import { codeFor, newEmail, URL_ } from "../fan.ts";
import type { Scene } from "./scene.ts";

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
  partners("strict", "/strict"), partners("react", "/react"), partners("many", "/many"),
  {
    name: "partner-blocked", run: async ({ camera, fan }) => {
      const page = await fan();
      await page.route(`${URL_}/v1/**`, (route) => route.abort());
      await page.goto(`${PARTNER}/`);
      await page.getByText("The seats cannot be reached right now").waitFor();
      await camera.take(page, "partner-blocked");
    },
  },
  {
    name: "partner-held", run: async ({ camera, fan }) => {
      const page = await fan(), email = newEmail();
      await page.goto(`${PARTNER}/`);
      await page.locator(".best .button.wide").click();
      const frame = page.frameLocator("plateia-map iframe");
      await frame.locator("#email").fill(email);
      await camera.take(page, "partner-desk");
      await frame.locator("#email").press("Enter");
      await frame.locator("#code").fill(await codeFor(email));
      await frame.locator("#checkout").waitFor();
      await camera.take(page, "partner-desk-held");
      await page.getByRole("button", { name: "Back to the seats" }).click();
      await page.locator(".pl-hold").waitFor();
      await page.locator(".pl-hold").scrollIntoViewIfNeeded();
      await camera.take(page, "partner-held");
    },
  },
  {
    name: "partner-docs", run: async ({ camera, fan }) => {
      const page = await fan();
      await page.goto(`${URL_}/embed`);
      await page.waitForSelector("main[data-ready]");
      await camera.take(page, "partner-docs");
    },
  },
];
