import { after, afterEach, before, test } from "node:test";
import type { Browser } from "playwright-core";
import type { OrderSummary } from "../src/api/types.ts";
import { closeFans, launch, newFan } from "./browser.ts";
import { enter, holdBest, showsView, URL_ } from "./fan.ts";
import { ownEvent } from "./room.ts";

let browser: Browser;
before(async () => void (browser = await launch()));
afterEach(closeFans);
after(() => browser.close());

test("the list of orders offers more orders, not events", async () => {
  const { page } = await newFan(browser);
  await enter(page, await ownEvent());
  await holdBest(page, 1);
  await page.click("#checkout");
  await showsView(page, "continue");
  await page.route(/\/v1\/orders$/, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...((await answer.json()) as { orders: OrderSummary[] }), nextCursor: "more" } });
  });
  await page.goto(`${URL_}/orders`);
  await page.getByRole("button", { name: "Show more orders" }).waitFor();
});
