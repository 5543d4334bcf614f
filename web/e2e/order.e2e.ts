import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { audit } from "./axe.ts";
import { closeFans, launch, newFan, PHONE } from "./browser.ts";
import { codeOfTicket, enter, holdBest, orderId, pay, showsView, stadium, URL_ } from "./fan.ts";
import { disturb, moved, reachable } from "./provider.ts";
import { becomes, last, says } from "./wait.ts";

let browser: Browser;
before(async () => {
  // Debian's Chromium keeps pages for the back button; the driver's default is to switch that off
  browser = await launch({ ignoreDefaultArgs: ["--disable-back-forward-cache"] });
});
afterEach(closeFans);
after(() => browser.close());

/** A fan in front of the payment page of an order for some of the best seats. */
async function ordered(page: Page, n = 2): Promise<string> {
  const { eventId } = await stadium();
  if (page.url() === "about:blank") await enter(page, eventId);
  else await page.goto(`${URL_}/events/${eventId}`);
  await holdBest(page, n);
  await page.click("#checkout");
  await page.waitForURL(/\/pay\//);
  await showsView(page, "continue");
  return orderId(page);
}

const captures = async (order: string): Promise<number> => (await moved(order)).filter((m) => m.kind === "capture").length;

test("double clicks, two tabs, a reload and the back button: one charge, and every page is right", async (t) => {
  const { page, trouble } = await newFan(browser);
  await enter(page, (await stadium()).eventId);
  await holdBest(page, 2);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await other.waitForSelector("#checkout");
  const forth = '#checkout, .hold a[href^="/pay/"]'; // the tab that comes second may have been told already
  await Promise.all([page.dblclick(forth), other.dblclick(forth)]); // four presses
  await Promise.all([page.waitForURL(/\/pay\//), other.waitForURL(/\/pay\//)]);
  await Promise.all([showsView(page, "continue"), showsView(other, "continue")]);
  const order = orderId(page);
  assert.equal(orderId(other), order, "one hold has one order");

  await page.evaluate(() => window.addEventListener("pageshow", (e) => (document.body.dataset.kept = String(e.persisted))));
  await page.click("#to-provider");
  await page.waitForURL(/\/sandbox2?\//);
  await page.evaluate(() => history.back());
  await showsView(page, "waiting");
  t.diagnostic(`the back button showed ${(await page.getAttribute("body", "data-kept")) === "true" ? "the page as it was left" : "the page anew"}`);
  await page.reload();
  await showsView(page, "waiting");

  await page.click("#to-provider");
  await page.dblclick('button[value="approve"]', { noWaitAfter: true });
  await Promise.all([showsView(page, "confirmed"), showsView(other, "confirmed")]);
  await other.goBack({ timeout: 5000 }).catch(() => null); // wherever it leads, coming forward again is right. A page kept for the button is no load to wait for
  await other.goto(`${URL_}/pay/${order}`);
  await showsView(other, "confirmed");
  await other.waitForURL(/\/orders\//);
  await page.waitForSelector(".qr >> nth=1");
  if (reachable()) assert.equal(await captures(order), 1);
  assert.deepEqual(trouble, []);
});

test("an unpaid order is cancelled after one more question, and its seats are free", async () => {
  const { page, trouble } = await newFan(browser);
  const order = await ordered(page);
  await page.click("#cancel-order");
  await page.getByRole("button", { name: "Keep my seats" }).click();
  await becomes(() => focused(page), "cancel-order");
  await page.click("#cancel-order");
  await page.getByRole("button", { name: "Yes, cancel it" }).click();
  await showsView(page, "cancelled");
  await says(() => page.textContent(".status"), /Nothing was charged/);
  await page.getByRole("link", { name: "Choose seats again" }).click();
  await page.waitForSelector(".best"); // no hold is left
  assert.equal(await page.locator("#checkout").count(), 0);
  if (reachable()) assert.deepEqual(await moved(order), []);
  assert.deepEqual(trouble, []);
});

test("tickets are given back one by one and whole: the sum is shown first, codes die at once, the money is followed", async () => {
  const { page, trouble } = await newFan(browser, PHONE);
  const order = await ordered(page, 3);
  await pay(page, "approve");
  await page.waitForSelector(".qr >> nth=2");
  const other = await page.context().newPage();
  await other.goto(`${URL_}/orders/${order}`);
  await other.waitForSelector(".qr >> nth=2");
  const shapes = await page.locator(".qr").evaluateAll((all) => all.map((e) => e.clientWidth / e.clientHeight));
  assert.deepEqual(shapes, [1, 1, 1], "a code is square on every screen");
  const [lost] = await page.locator("[data-ticket]").evaluateAll((all) => all.map((e) => (e as HTMLElement).dataset.ticket!));

  await page.focus("#give-back");
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog[open]");
  await page.keyboard.press("Escape"); // nothing happens
  await page.waitForSelector("dialog", { state: "detached" });
  await becomes(() => focused(page), "give-back", "the focus is where it was");
  await page.keyboard.press("Enter");
  await page.waitForSelector("dialog[open]");
  await becomes(() => page.getAttribute("#give-back-next", "aria-disabled"), "true");
  await page.locator(`dialog input[value="${lost}"]`).check();
  await becomes(() => page.getAttribute("#give-back-next", "aria-disabled"), "false");
  const offered = await sums(page);
  await audit(page, "choosing tickets to give back");
  await page.click("#give-back-next");
  await page.waitForSelector("#give-back-yes");
  await becomes(() => sums(page), offered);
  await audit(page, "before giving back");
  await page.dblclick("#give-back-yes", { noWaitAfter: true });
  await page.waitForSelector(".dialog-done");
  await page.getByRole("button", { name: "Close" }).last().click();

  await Promise.all([showsView(page, "partly"), showsView(other, "partly")]); // the other tab hears of it
  for (const tab of [page, other]) {
    await becomes(() => tab.locator(".qr").count(), 2);
    await becomes(() => tab.locator(`[data-ticket="${lost}"]`).getAttribute("data-state"), "VOID");
  }
  assert.notEqual(await codeOfTicket(page, lost!), 200, "no picture of a dead code");
  await page.waitForSelector('[data-status="DONE"]');
  const back = offered.back!;
  await says(() => page.textContent(".refund-head"), new RegExp(back.replace(/[$.]/g, "\\$&")));

  await page.click("#give-back");
  await page.check("#give-back-all");
  await page.click("#give-back-next");
  await page.click("#give-back-yes");
  await page.waitForSelector(".dialog-done");
  await page.getByRole("button", { name: "Close" }).last().click();
  await showsView(page, "refunded");
  await becomes(() => page.locator('.ticket-gone[data-state="VOID"]').count(), 3);
  await becomes(() => page.locator("#give-back").count(), 0);
  if (reachable()) {
    const money = await last(() => moved(order), (all) => all.length >= 3), sum = (kind: string): number => money.filter((m) => m.kind === kind).reduce((all, m) => all + m.amount, 0);
    const seats = money[0]!.amount / 11 * 10; // ten percent are the fee, which is kept
    assert.deepEqual([money.map((m) => m.kind), sum("refund")], [["capture", "refund", "refund"], seats]);
  }
  assert.deepEqual(trouble, []);
});

/** The id of what has the focus. */
const focused = (page: Page): Promise<string | undefined> => page.evaluate(() => document.activeElement?.id);

/** What the dialog says comes back, and what is kept. */
const sums = (page: Page): Promise<{ back?: string; kept?: string }> => page.locator("dialog").evaluate((d) => ({
  back: d.querySelector(".sum .num")?.textContent ?? undefined, kept: d.querySelector(".kept .num")?.textContent ?? undefined,
}));

test("a payment of another amount is looked at by a person", async (t) => {
  if (!reachable()) return t.skip("the provider's script cannot be reached");
  const { page, trouble } = await newFan(browser);
  const order = await ordered(page, 1);
  await pay(page, "decline");
  await showsView(page, "declined");
  await disturb({ [order]: ["amount"] });
  await page.dblclick("#pay-again");
  await showsView(page, "continue");
  await pay(page, "approve");
  await showsView(page, "review");
  await says(() => page.textContent(".status"), /Your money is safe/);
  assert.equal(await page.locator("[data-ticket]").count(), 0);
  assert.equal(await captures(order), 1);
  assert.deepEqual(trouble, []);
});
