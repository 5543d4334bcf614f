import type { Page } from "playwright-core";
import { choose, chooseInTable, enter, hold, holdBest, openSection, stadium, THEATRE } from "../fan.ts";
import { refused, type Scene } from "./scene.ts";
import { endHold, eventWith, programme, sql } from "./world.ts";

const wake = (page: Page): Promise<unknown> => page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));

/** Choosing, holding and everything that gets in the way. */
export const selling: Scene[] = [
  {
    name: "looking", run: async ({ camera, fan }) => {
      const page = await fan();
      await enter(page, (await stadium()).eventId);
      await camera.take(page, "seats");
      await camera.take(page, "seats-panel", { whole: true, at: ".dock" });
      await page.click(".prices .price:last-child");
      await page.selectOption("#filter-section", { index: 1 });
      await page.waitForSelector(".chip");
      await camera.take(page, "seats-filtered", { at: ".filter-sum", top: true });
      await page.click(".prices .price:first-child");
      await page.click(".prices .price:last-child");
      await page.check("#accessible", { force: true });
      await page.waitForSelector(".filter-sum");
      await camera.take(page, "seats-nothing", { at: ".filter-sum", top: true });
      await page.getByRole("button", { name: "Clear filters" }).click();
      await openSection(page, 5);
      await page.click(".see");
      await page.waitForSelector("dialog.view-dialog[open]");
      await camera.take(page, "seats-view");
    },
  },
  {
    name: "seats", run: async ({ camera, fan }) => {
      const [page, other] = [await fan(), await fan()];
      const { eventId } = await stadium();
      await enter(page, eventId);
      await openSection(page, 5);
      await camera.take(page, "seats-list", { at: ".fold", top: true });
      await chooseInTable(page, 3, 2);
      await camera.take(page, "seats-chosen", { at: ".grid-wrap" });
      const mine = await page.locator('.grid td[aria-selected="true"]').evaluateAll((all) => all.map((e) => (e as HTMLElement).dataset.o!));
      await enter(other, eventId);
      await openSection(other, 5);
      await choose(other, mine.slice(0, 1));
      await hold(other);
      await page.waitForSelector(".notice.warn");
      await camera.take(page, "seats-taken", { at: ".notice" });
      await hold(page);
      await camera.take(page, "held", { at: ".hold" });
      await page.getByRole("button", { name: "Give seats back" }).click();
      await camera.take(page, "held-sure", { at: ".hold" });
      await page.getByRole("button", { name: "Keep them" }).click();
      await chooseInTable(page, 1);
      await camera.take(page, "held-change");
      await page.getByRole("button", { name: "Undo changes" }).click();
      await page.getByRole("button", { name: "More time" }).click();
      await page.waitForSelector(".notice");
      await camera.take(page, "held-extended", { at: ".notice" });
      await page.context().setOffline(true);
      await page.waitForSelector('.live[data-state="offline"]');
      await camera.take(page, "held-offline", { at: ".hold" });
      await page.context().setOffline(false);
      await page.waitForSelector('.live[data-state="live"]');
      endHold(eventId, 50);
      await wake(page);
      await page.waitForSelector('.hold[data-urgency="now"]');
      await camera.take(page, "held-hurry", { at: ".hold" });
      endHold(eventId, 1);
      await wake(page);
      await page.waitForSelector("#checkout", { state: "detached" });
      await page.waitForSelector(".notice.warn");
      await page.waitForFunction(([o]) => document.querySelector<HTMLElement>(`.grid td[data-o="${o}"]`)?.dataset.look === "0", mine.slice(1)); // back on sale
      await camera.take(page, "held-over", { at: ".notice" });
    },
  },
  {
    name: "paying", run: async ({ camera, fan }) => {
      const page = await fan();
      const { eventId } = await stadium();
      await enter(page, eventId);
      await holdBest(page, 2);
      const other = await page.context().newPage();
      await other.goto(page.url());
      await other.click("#checkout");
      await other.waitForURL(/\/pay\//);
      await page.waitForSelector('.hold a[href^="/pay/"]');
      await camera.take(page, "held-paying", { at: ".hold" });
    },
  },
  {
    name: "theatre", run: async ({ camera, fan }) => {
      const page = await fan();
      await enter(page, THEATRE);
      await camera.take(page, "theatre");
      await page.press(".area .more", "Enter");
      await openSection(page, "0");
      await camera.take(page, "theatre-list", { at: ".areas", top: true });
      await page.locator(".grid td[data-kept]").first().click({ force: true });
      await page.waitForSelector(".notice.warn .button");
      await camera.take(page, "theatre-kept", { at: ".notice" });
      await page.click(".notice.warn .button");
      await page.waitForSelector(".dock .offer .button");
      await camera.take(page, "theatre-companion");
    },
  },
  {
    name: "refused", run: async ({ camera, fan }) => {
      const event = await eventWith(programme("Ballet: O lago", "Teatro Rivoli", "Porto Alegre", "Dance", 6));
      const page = await fan();
      await enter(page, event);
      await openSection(page, "0");
      const row = await page.locator(".grid tr").evaluateAll((all) => all.map((r) => [...r.querySelectorAll<HTMLElement>("td")]
        .map((c) => (c.dataset.look === "0" && c.dataset.kept === undefined ? c.dataset.o! : ""))).find((r) => r.length > 8 && !r.includes(""))!);
      await choose(page, [row[1]!]);
      await page.press(".dock .button.wide", "Enter");
      await page.waitForSelector(".notice.warn .button");
      await camera.take(page, "refused-alone", { at: ".notice" });
      sql(`update event set prices = '[21000, 12000, 8000, 4000]', version = version + 1 where event_id = '${event}'`);
      await choose(page, [row[0]!]);
      await page.press(".dock .button.wide", "Enter");
      await page.waitForSelector(".notice.warn:has-text('price') .button");
      await camera.take(page, "refused-price", { at: ".notice" });
      await refused(page, /\/holds$/, 409, "NO_SEATS", { reason: "quantity" });
      await page.click(".best .button.wide");
      await page.waitForSelector(".notice.warn:has-text('together')");
      await camera.take(page, "refused-none-together", { at: ".notice" });
      await refused(page, /\/holds$/, 409, "SESSION_REPLACED");
      await page.click(".best .button.wide");
      await page.waitForSelector(".notice.warn:has-text('another device')");
      await camera.take(page, "refused-elsewhere", { at: ".notice" });
      await refused(page, /\/holds$/, 429, "RATE_LIMITED", { retryAfterSeconds: 20 });
      await page.click(".best .button.wide");
      await page.waitForSelector(".notice:has-text('20 s')");
      await camera.take(page, "refused-too-fast", { at: ".notice" });
      await refused(page, /\/holds$/, 500, "INTERNAL", { requestId: "01J8ZC3T5W" });
      await page.click(".best .button.wide");
      await page.waitForSelector(".notice.bad");
      await camera.take(page, "refused-server", { at: ".notice" });
      await refused(page, /\/holds$/, 401, "UNAUTHENTICATED");
      await page.click(".best .button.wide");
      await page.waitForSelector("#email");
      await camera.take(page, "session-over");
    },
  },
];
