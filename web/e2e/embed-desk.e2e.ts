import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser, Frame, Page } from "playwright-core";
import { audit } from "./axe.ts";
import { closeFans, launch, newFan } from "./browser.ts";
import { database } from "./database.ts";
import { atTheSeats, chooseInTable, hold, openSection, signIn, stadium, URL_ } from "./fan.ts";
import { canLead, limit, newEvent, pause, resume, showsBoard } from "./room.ts";
import { frameOf, HOSTED, heard, hears, openHost, PARTNER, say, serveHost } from "./host.ts";
import { becomes, until } from "./wait.ts";
import { hearsOf, news, told } from "./widget.ts";

// Fans in our frames on a partner's page, which is another site's: the browser keeps its storage apart, or refuses it.

let browser: Browser;
before(async () => void (browser = await launch({ args: [HOSTED, "--test-third-party-cookie-phaseout"] })));
afterEach(closeFans);
after(() => browser.close());

const desk = async (): Promise<string> => `/embed/v1/desk/${(await stadium()).eventId}`;
const asPage = (frame: Frame): Page => frame as unknown as Page; // what the helpers call, both have

/** Presses for the payment and answers its window, which the press opens. */
async function payWindow(page: Page, frame: Frame, button: string): Promise<Page> {
  const [popup] = await Promise.all([page.context().waitForEvent("page"), frame.click(button)]);
  await popup.waitForSelector("#to-provider");
  return popup;
}

async function approve(popup: Page): Promise<void> {
  await popup.click("#to-provider");
  await popup.click('button[value="approve"]');
  await popup.waitForSelector(".qr");
}

test("third-party cookies blocked: choose in the host's page, sign in, reload in the middle of the hold, pay in the window, tickets in both", async () => {
  const { page, trouble } = await newFan(browser);
  await serveHost(page.context());
  let frame = await openHost(page, await desk());
  await frame.waitForSelector("#email");
  await hears(page, "ready");
  assert.equal(await frame.evaluate(() => (document.cookie = "third=1; SameSite=None; Secure; Path=/", document.cookie)), "");
  await say(page, { type: "best", quantity: 2, maxPrice: { amount: 1, currency: "BRL" } }); // the newest request counts
  await say(page, { type: "best", quantity: 2 });
  const email = await signIn(asPage(frame));
  await frame.waitForSelector("#checkout");
  const { hold: held } = (await hears(page, "hold", (m) => m.hold !== null)) as unknown as { hold: { seats: { label: string; ordinal: number }[]; state: string } };
  assert.equal(held.seats.length, 2);
  assert.equal(held.state, "ACTIVE");

  await page.reload();
  frame = await frameOf(page);
  await frame.waitForSelector("#checkout");
  assert.deepEqual((await hears(page, "hold", (m) => m.hold !== null)).hold, held);
  await hears(page, "stage", (m) => m.stage === "hold");
  await audit(asPage(frame), "a hold in the frame");

  const popup = await payWindow(page, frame, "#checkout");
  assert.equal(await popup.evaluate(() => window.opener), null);
  await hears(page, "stage", (m) => m.stage === "paying");
  await hears(page, "checkout");
  await frame.waitForSelector('[data-view="waiting"]');
  await audit(asPage(frame), "a payment in its window");
  await approve(popup); // first-party: nobody signs in again
  await frame.waitForSelector(".qr >> nth=1");
  await hears(page, "order", (m) => m.status === "confirmed");
  await hears(page, "stage", (m) => m.stage === "tickets");
  assert.equal((await heard(page, "checkout")).length, 1);
  await audit(asPage(frame), "tickets in the frame");

  const all = JSON.stringify(await page.evaluate(() => (window as unknown as { got: unknown[] }).got));
  const order = new URL(popup.url()).pathname.split("/")[2]!;
  const secrets = await popup.evaluate(() => Object.entries(localStorage).flatMap(([, v]) => [v, ...Object.values(JSON.parse(v) as object).map(String)]));
  for (const secret of [order, email, ...secrets.filter((v) => v.length > 20)]) assert.ok(!all.includes(secret), `the host was told ${secret}`);

  await frame.click(".back");
  await hears(page, "close");
  await frame.getByRole("button", { name: "See your tickets" }).click();
  await frame.waitForSelector(".qr >> nth=1");
  assert.deepEqual(trouble, []);
});

test("storage that throws: the frame works, and after a reload signing in again brings the hold back", async () => {
  const { page, trouble } = await newFan(browser);
  const context = page.context();
  await serveHost(context);
  await context.addInitScript(() => {
    if (window === window.top) return;
    for (const name of ["localStorage", "sessionStorage", "indexedDB"]) {
      Object.defineProperty(window, name, { get: () => { throw new DOMException("denied", "SecurityError"); } });
    }
  });
  let frame = await openHost(page, await desk());
  await hears(page, "ready");
  await say(page, { type: "best", quantity: 1 });
  const email = await signIn(asPage(frame));
  await frame.waitForSelector("#checkout");
  const { hold: held } = await hears(page, "hold", (m) => m.hold !== null);
  database()?.(`update sign_in_code set sent_at = sent_at - interval '2 minutes' where email = '${email}'`); // a second code has to wait else
  await page.reload();
  frame = await frameOf(page);
  await signIn(asPage(frame), email);
  await frame.waitForSelector("#checkout");
  assert.deepEqual((await hears(page, "hold", (m) => m.hold !== null)).hold, held);
  const popup = await payWindow(page, frame, "#checkout");
  await approve(popup);
  await frame.waitForSelector(".qr");
  assert.deepEqual(trouble, []);
});

test("the whole event page in a frame, its window blocked: a second press, then a page of its own", async () => {
  const { page, trouble } = await newFan(browser);
  const context = page.context();
  await serveHost(context);
  await context.addInitScript(() => {
    const open = window.open.bind(window);
    let times = 0;
    if (window !== window.top) window.open = (...all) => (++times > 2 ? open(...all) : null); // what a blocker answers
  });
  const { eventId } = await stadium();
  const frame = await openHost(page, `/embed/v1/frame/${eventId}`);
  await hears(page, "ready");
  await say(page, { type: "theme", scheme: "dark", values: { accent: "#ffd166", "accent-text": "#201500" } });
  await signIn(asPage(frame));
  await atTheSeats(asPage(frame));
  const style = (): Promise<string[]> => frame.evaluate(() => {
    const css = getComputedStyle(document.documentElement);
    return [css.getPropertyValue("--brand"), css.getPropertyValue("--paper"), css.colorScheme];
  });
  await becomes(style, ["#ffd166", "#131118", "dark"]);
  await say(page, { type: "theme", scheme: "light", values: { accent: "#ffd166" } }); // yellow on white: nobody reads that
  const refused = (await hears(page, "error")) as unknown as { code: string; text: string };
  assert.equal(refused.code, "CONTRAST");
  assert.match(refused.text, /--plateia-accent on --plateia-surface has a contrast of 1\.\d+:1/);
  await becomes(() => frame.evaluate(() => document.documentElement.style.getPropertyValue("--brand")), "");
  await openSection(asPage(frame), 27);
  const [seat] = await chooseInTable(asPage(frame), 1);
  const { seats } = (await hears(page, "select", (m) => (m.seats as string[]).length === 1)) as unknown as { seats: string[] };
  await hold(asPage(frame));
  const { hold: held } = (await hears(page, "hold", (m) => m.hold !== null)) as unknown as { hold: { seats: { label: string; ordinal: number }[] } };
  assert.deepEqual(held.seats, [{ label: seats[0], ordinal: Number(seat) }]);

  await frame.click("#checkout");
  await frame.getByText("kept the payment window closed").waitFor();
  assert.equal(context.pages().length, 1);
  await frame.click("#to-payment");
  await frame.waitForSelector("#pay-plain");
  await audit(asPage(frame), "the window is blocked");
  const plain = await frame.locator("#pay-plain").evaluate((a: HTMLAnchorElement) => [a.target, a.rel, new URL(a.href).pathname.split("/")[1]]);
  assert.deepEqual(plain, ["_blank", "noopener", "pay"]);
  await approve(await payWindow(page, frame, "#to-payment"));
  await frame.waitForSelector(".qr");
  assert.deepEqual(trouble, []);
});

test("a line in front of the event is in the frame too; the place outlives a reload, and the turn leads to what was asked for", async (t) => {
  if (!(await canLead())) return t.skip("no private database or operator's key");
  const event = await newEvent(-60);
  await limit(event, 50);
  await pause(event, "One moment, please.");
  const { page, trouble } = await newFan(browser);
  await serveHost(page.context());
  let frame = await openHost(page, `/embed/v1/desk/${event}`);
  await hears(page, "ready");
  await say(page, { type: "best", quantity: 1 });
  await signIn(asPage(frame));
  await hears(page, "stage", (m) => m.stage === "line");
  await showsBoard(asPage(frame), "paused");
  await audit(asPage(frame), "in line in the frame");
  const place = await frame.evaluate(() => [...Object.keys(localStorage)].filter((k) => k.startsWith("plateia.queue.")).map((k) => localStorage.getItem(k)));
  await page.reload();
  frame = await frameOf(page);
  await showsBoard(asPage(frame), "paused");
  assert.deepEqual(await frame.evaluate(() => [...Object.keys(localStorage)].filter((k) => k.startsWith("plateia.queue.")).map((k) => localStorage.getItem(k))), place);
  await resume(event);
  await frame.waitForSelector("#checkout"); // the turn has come: what was asked for is held, and nobody has pressed anything
  await hears(page, "hold", (m) => m.hold !== null);
  await becomes(() => frame.locator("#board").count(), 0);
  assert.deepEqual(trouble, []);
});

test("by the partner's element: the best seats, signing in, the window, tickets; its page hears each step", async () => {
  const { page, trouble } = await newFan(browser);
  await news(page);
  await page.goto(PARTNER);
  await page.locator(".best .button.wide").click();
  const frame = await frameOf(page);
  await signIn(asPage(frame));
  await frame.waitForSelector("#checkout");
  await approve(await payWindow(page, frame, "#checkout"));
  await frame.waitForSelector(".qr");
  const steps = ["plateia-ready", "plateia-hold", "plateia-checkout", "plateia-order"];
  for (const step of steps) await hearsOf(page, step);
  await until("no confirmation", async () => (await told(page, "plateia-order")).some((n) => n.detail.status === "confirmed") || undefined);
  await frame.click(".back"); // the sheet closes, and the map is there again
  await page.locator(".best .button.wide").click({ trial: true });
  assert.deepEqual(trouble, []);
});

test("a page that is not on the list gets no frame, and no answer", async () => {
  const stranger = "http://localhost:1", { page } = await newFan(browser);
  await serveHost(page.context(), stranger);
  await page.goto(`${stranger}/host#${await desk()}`);
  await page.waitForFunction(() => document.querySelector("iframe")!.contentDocument === null); // an error page has taken its place
  assert.equal(page.frames().filter((f) => f.url().startsWith(URL_)).length, 0);
  assert.deepEqual(await page.evaluate(() => (window as unknown as { got: unknown[] }).got), []);
  assert.notEqual(stranger, PARTNER);
});
