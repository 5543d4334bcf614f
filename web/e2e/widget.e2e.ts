import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, afterEach, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { Browser, Page } from "playwright-core";
import { audit } from "./axe.ts";
import { closeFans, launch, newFan, PATIENCE, PHONE } from "./browser.ts";
import { pressUntil } from "./map-hand.ts";
import { codeFor, newEmail, stadium, URL_ } from "./fan.ts";
import { becomes, last, says } from "./wait.ts";
import { hearsOf, news, ready, told, unknownEvent } from "./widget.ts";

const PARTNER = process.env.PLATEIA_PARTNER ?? "";
let browser: Browser;
before(async () => void (browser = await launch()));
after(() => browser.close());
afterEach(closeFans);

const open = async (page: Page, path: string): Promise<void> => {
  await news(page);
  await page.goto(`${PARTNER}${path}`);
  await ready(page);
};

test("the documentation is a page that says our own address, without serious findings", async () => {
  const { page, trouble } = await newFan(browser);
  await page.goto(`${URL_}/embed`);
  await page.locator("main[data-ready]").waitFor();
  await says(() => page.locator("main").innerText(), new RegExp(`src="${URL_}/embed/v1/loader.js"`));
  await audit(page, "documentation");
  assert.deepEqual(trouble, []);
});

test("under default-src 'none' and the documented line the map is there, live, and seats can be chosen", async () => {
  const { page, trouble } = await newFan(browser);
  await open(page, "/strict");
  const answer = await page.request.get(`${PARTNER}/strict`);
  assert.match(answer.headers()["content-security-policy"] ?? "", /^default-src 'none'; script-src \S+; connect-src \S+ ws\S+; frame-src \S+$/);
  await page.locator(".live[data-state=live]").waitFor();
  assert.equal(await page.locator(".pl").getAttribute("lang"), "es"); // the page's language
  await page.locator(".fold > summary").click();
  await page.locator("#pick-section").selectOption({ index: 1 });
  await page.locator('.grid td[data-look="0"]').first().click();
  await page.locator(".dock .button.wide").waitFor();
  const { detail } = await hearsOf(page, "plateia-select");
  assert.equal((detail.seats as string[]).length, 1);
  assert.deepEqual(trouble, []);
});

test("a hostile style sheet changes nothing inside, and axe finds nothing serious", async () => {
  const plain = await newFan(browser), hostile = await newFan(browser);
  await open(plain.page, "/strict");
  await open(hostile.page, "/hostile");
  const looks = (page: Page): Promise<unknown> => page.evaluate(() => {
    const root = document.querySelector("plateia-map")!.shadowRoot!;
    return [".pl", ".best .button", ".price", "h2", ".map canvas", "#max-price"].map((selector) => {
      const s = getComputedStyle(root.querySelector(selector)!);
      return [selector, s.display, s.position, s.fontSize, s.letterSpacing, s.textTransform, s.color, s.pointerEvents, s.textShadow, s.transform];
    });
  });
  for (const { page } of [plain, hostile]) await page.locator(".live[data-state=live]").waitFor(); // both as far as they go
  const both = await last(() => Promise.all([looks(hostile.page), looks(plain.page)]), ([theirs, ours]) => isDeepStrictEqual(theirs, ours));
  assert.deepEqual(both[0], both[1]);
  for (const width of [390, 820]) { // their paragraph floats: beside it there is next to no room
    await hostile.page.setViewportSize({ width, height: 844 });
    await hostile.page.waitForFunction(() => document.querySelector("plateia-map")!.getBoundingClientRect().width >= 300);
  }
  await audit(plain.page, "widget");
});

test("on a phone a finger that goes over the map scrolls the partner's page, and two move the map", async () => {
  const { page, trouble } = await newFan(browser, PHONE);
  await open(page, "/");
  await page.locator(".live[data-state=live]").waitFor();
  const map = page.locator(".map");
  await map.scrollIntoViewIfNeeded();
  await page.getByRole("button", { name: "Zoom in" }).click(); // the whole venue in view has nowhere to go to
  const before = await page.evaluate(() => scrollY);
  await page.evaluate(() => {
    const tip = document.querySelector("plateia-map")!.shadowRoot!.querySelector<HTMLElement>(".tip")!;
    new MutationObserver(() => tip.hidden || (document.body.dataset.hint = tip.textContent!)).observe(tip, { attributes: true });
  });
  await swipe(page, [[0.5, 0.8, 0.5, 0.2]]);
  await page.waitForFunction((y) => scrollY > y + 40, before);
  await page.waitForSelector('body[data-hint="Use two fingers to move the map"]'); // it is there for a moment only
  await scrolled(page);
  await swipe(page, [[0.5, 0.45, 0.5, 0.1], [0.5, 0.55, 0.5, 0.9]]);
  await page.waitForFunction(() => document.querySelector("plateia-map")!.shadowRoot!.querySelector<HTMLElement>(".map")!.dataset.level !== "far");
  assert.equal(await page.evaluate(() => visualViewport!.scale), 1, "the pinch is the map's, not the page's");
  assert.deepEqual(trouble, []);
});

/** Waits until the page goes no further: a finger that has left gives it a push. */
const scrolled = (page: Page): Promise<void> => page.evaluate(async () => {
  for (let still = 0, at = NaN; still < 10; still = scrollY === at ? still + 1 : 0) {
    at = scrollY;
    await new Promise(requestAnimationFrame);
  }
});

/** Fingers go over the map at once, each from one place to another: shares of its width and height. */
async function swipe(page: Page, fingers: readonly (readonly [number, number, number, number])[]): Promise<void> {
  const box = (await page.locator(".map").boundingBox())!, hand = await page.context().newCDPSession(page);
  const at = (share: number): { id: number; x: number; y: number }[] => fingers.map(([x0, y0, x1, y1], id) =>
    ({ id, x: box.x + box.width * (x0 + (x1 - x0) * share), y: box.y + box.height * (y0 + (y1 - y0) * share) }));
  await hand.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(0) });
  for (let step = 1; step <= 12; step++) {
    await hand.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(step / 12) });
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
  await hand.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await hand.detach();
}

test("a palette that cannot be read is refused with an event, a good one is taken on", async () => {
  const { page } = await newFan(browser);
  await open(page, "/");
  const accent = (colour: string): Promise<unknown> => page.waitForFunction((c) =>
    getComputedStyle(document.querySelector("plateia-map")!.shadowRoot!.querySelector(".best .button")!).backgroundColor === c, colour);
  await accent("rgb(11, 110, 110)"); // the page's
  await page.locator("plateia-map").evaluate((e) => (e as HTMLElement).style.setProperty("--plateia-accent", "#ffe680"));
  const refused = await hearsOf(page, "plateia-error");
  assert.equal(refused.detail.code, "CONTRAST");
  assert.match(String(refused.detail.text), /--plateia-accent on --plateia-surface has a contrast of 1\.\d+:1/);
  await accent("rgb(61, 43, 184)"); // ours
});

test("a wrong event, an origin that is not listed and a blocked API are said in words and as events", async () => {
  const server = await stranger(`<plateia-map event="${(await stadium()).eventId}"></plateia-map>`);
  const { page } = await newFan(browser);
  try {
    await news(page);
    await page.goto(`${PARTNER}/?event=${unknownEvent}`);
    await page.getByText("This event was not found").waitFor();
    assert.equal((await hearsOf(page, "plateia-error")).detail.code, "UNKNOWN_EVENT");

    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.getByText("The seats cannot be shown here").waitFor();
    assert.equal((await hearsOf(page, "plateia-error")).detail.code, "NOT_ALLOWED");

    await page.route(`${URL_}/v1/**`, (route) => route.abort());
    await page.goto(`${PARTNER}/`);
    await page.getByText("The seats cannot be reached right now").waitFor();
    assert.equal((await hearsOf(page, "plateia-error")).detail.code, "UNREACHABLE");
    await page.unroute(`${URL_}/v1/**`);
    await page.getByRole("button", { name: "Try again" }).click();
    await ready(page);
  } finally {
    server.close();
  }
});

test("where the widget's own code does not come there is a link, and an event", async () => {
  const { page } = await newFan(browser);
  await news(page);
  await page.route(`${URL_}/assets/plateia-map.*`, (route) => route.fulfill({ status: 200, contentType: "text/javascript", headers: { "Access-Control-Allow-Origin": "*" }, body: "alert(1)" }));
  await page.goto(`${PARTNER}/`);
  const link = page.locator("plateia-map a");
  await link.waitFor({ timeout: PATIENCE }); // integrity refuses what is not ours, again and again
  assert.match((await link.getAttribute("href"))!, /\/events\/[0-9a-f-]{36}$/);
  assert.equal((await hearsOf(page, "plateia-error")).detail.code, "BLOCKED");
});

test("without WebSocket and streams the map is polled, and says so", async () => {
  const { page } = await newFan(browser);
  await page.routeWebSocket(/\/live/, (ws) => void ws.close());
  await page.route(/\/live\?/, (route) => route.abort());
  await open(page, "/");
  await page.locator(".live[data-state=polling]").waitFor();
  await becomes(() => page.locator(".live").innerText(), "Updated every few seconds");
});

test("without the panel the map is live, seats are chosen by tap and asked for; the panel goes on with the choice", async () => {
  const { page } = await newFan(browser);
  await news(page);
  await page.route(`${URL_}/assets/plateia-panel.*`, (route) => route.abort());
  await page.goto(`${PARTNER}/strict`);
  await page.locator(".live[data-state=live]").waitFor();
  await pressUntil(page, ".pl-quick", [0.3, 0.2], [0.7, 0.9], false, ".map");
  await says(() => page.locator(".pl-quick").innerText(), /Total\s+[\d.,]+\s*R\$/);
  await page.locator(".pl-quick .button").click(); // "Reservar 1 asiento"
  assert.deepEqual(await told(page, "plateia-ready"), []);
  await page.unroute(`${URL_}/assets/plateia-panel.*`);
  await page.frameLocator("plateia-map iframe").locator("#email").waitFor({ timeout: PATIENCE });
  await hearsOf(page, "plateia-select");
  assert.equal((await told(page, "plateia-select")).length, 1);
});

test("attributes and life: another event, language and limits at run time, moved, removed while loading, fifty times", async () => {
  const { page, trouble } = await newFan(browser, PHONE);
  await open(page, "/many");
  const small = page.locator("#small");
  await small.locator(".price").first().waitFor();
  await becomes(() => small.evaluate((e) => e.scrollWidth <= e.clientWidth), true, "nothing sticks out at 320 × 300");
  await page.locator("#wrong").getByText("No encontramos este evento").waitFor();
  await page.locator("#none").getByText("No event was named").waitFor();

  // chosen seats stay while the element moves, and its attributes are written again as they are
  const press = (selector: string): Promise<void> => small.locator(selector).first().evaluate((e) => (e as HTMLElement).click());
  const chosen = (): Promise<string[]> => small.evaluate((e) => (e as HTMLElement & { selection: { seats: string[] } }).selection.seats);
  await press(".fold > summary");
  await small.locator("#pick-section option >> nth=1").waitFor({ state: "attached" });
  await small.locator("#pick-section").evaluate((e) => {
    (e as HTMLSelectElement).selectedIndex = 1;
    e.dispatchEvent(new Event("change"));
  });
  await press('.grid td[data-look="0"]');
  const seats = await last(chosen, (all) => all.length > 0);
  assert.equal(seats.length, 1);
  await small.evaluate((e) => {
    document.body.append(e);
    e.setAttribute("event", e.getAttribute("event")!);
  });
  await page.waitForTimeout(200); // for what would be made anew
  assert.deepEqual(await chosen(), seats);

  await small.evaluate((e) => e.setAttribute("lang", "pt-BR"));
  await small.locator('.pl[lang="pt-BR"] .best').waitFor();
  await small.evaluate((e) => e.setAttribute("event", ""));
  await small.getByText("Nenhum evento indicado").waitFor();

  await page.evaluate(async (event) => {
    for (let i = 0; i < 50; i++) {
      const e = document.createElement("plateia-map");
      e.setAttribute("event", event);
      document.body.append(e);
      if (i % 3 > 0) await new Promise((done) => setTimeout(done, i % 3 * 20));
      e.remove();
    }
  }, (await stadium()).eventId);
  await page.waitForTimeout(500);
  assert.deepEqual(trouble, []);
});

test("seats are held in our frame and shown in the partner's page; after a reload the way back is there", async () => {
  const { page } = await newFan(browser);
  await open(page, "/");
  await page.locator(".best .button.wide").click();
  const frame = page.frameLocator("plateia-map iframe"), email = newEmail();
  await frame.locator("#email").fill(email);
  await frame.locator("#email").press("Enter");
  await frame.locator("#code").waitFor();
  await frame.locator("#code").fill(await codeFor(email));
  const held = await hearsOf(page, "plateia-hold");
  assert.equal((held.detail.hold as { seats: unknown[] }).seats.length, 2);
  assert.doesNotMatch(JSON.stringify(held), new RegExp(`${email}|token|orderId|accountId`, "i")); // nothing about the person
  await page.getByRole("button", { name: "Back to the seats" }).click();
  await page.locator(".pl-hold").getByText("2 seats held for you").waitFor();
  await page.reload();
  await page.locator(".pl-hold").waitFor(); // the seats, or (storage is kept from frames) that one has to sign in again
});

test("frame mode: the whole event page in the partner's, limits and theme go in, a hold comes out", async () => {
  const { page, trouble } = await newFan(browser);
  await open(page, "/frame");
  assert.equal((await told(page, "plateia-ready"))[0]!.detail.mode, "frame");
  const frame = page.frameLocator("plateia-map iframe"), email = newEmail();
  assert.match(await frame.locator("#when time").innerText(), /GMT.3$/, "a page of somebody else's names the zone, also to those who live in it");
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    const boxes = (): Promise<{ width: number; height: number }[]> => Promise.all(["plateia-map", "plateia-map iframe"].map(async (s) => (await page.locator(s).boundingBox())!));
    const fits = ([all, ours]: { width: number; height: number }[]): boolean => all!.width <= width && ours!.width > all!.width - 4 && ours!.height > 500;
    const found = await last(boxes, fits);
    assert.ok(fits(found), `${JSON.stringify(found)} in a page of ${width} pixels`);
  }
  await page.locator("plateia-map").evaluate((e) => e.setAttribute("theme", "dark"));
  await frame.locator(":root").evaluate((root) => new Promise<void>((done) => {
    const look = (): void => void (getComputedStyle(root).colorScheme === "dark" ? done() : setTimeout(look, 50));
    look();
  }));
  await page.locator("plateia-map").evaluate((e) => (e as HTMLElement & { holdBest(q: object): void }).holdBest({ quantity: 2 }));
  await frame.locator("#email").fill(email);
  await frame.locator("#email").press("Enter");
  await frame.locator("#code").fill(await codeFor(email));
  const held = await hearsOf(page, "plateia-hold");
  assert.equal((held.detail.hold as { seats: unknown[] }).seats.length, 2);
  const errors = (await told(page, "plateia-error")).map(({ detail }) => detail.code);
  assert.deepEqual(errors.filter((code) => code !== "CONTRAST"), []); // the page's accent is one for the light
  assert.deepEqual(trouble, []);
});

test("React renders every second: the choice stays, and the newest callback hears of it", async () => {
  const { page, trouble } = await newFan(browser);
  await open(page, "/react");
  await page.locator(".fold > summary").click();
  await page.locator("#pick-section").selectOption({ index: 1 });
  const seats = page.locator('.grid td[data-look="0"]');
  await seats.first().click();
  await page.getByText(/^Chosen: /).waitFor();
  const renders = async (): Promise<number> => Number(await page.locator("#renders").innerText());
  const first = await renders();
  await page.waitForFunction((n) => Number(document.getElementById("renders")!.textContent) > n + 2, first);
  await page.getByRole("button", { name: "Dark" }).click();
  await page.locator(".pl.dark").waitFor();
  await seats.first().click(); // the next free one
  await page.waitForFunction(() => document.getElementById("chosen")!.textContent!.includes(","));
  await page.waitForFunction((n) => Number(document.getElementById("heard")!.textContent) >= n + 2, first);
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByText("Nothing is chosen.").waitFor();
  await page.getByRole("button", { name: "Take away" }).click();
  await page.locator("plateia-map").waitFor({ state: "detached" });
  assert.deepEqual(trouble, []);
});

/** A page of somebody whom nobody has put on a list. */
async function stranger(body: string): Promise<Server> {
  const server = createServer((_, answer) => void answer.setHeader("Content-Type", "text/html").end(
    `<!doctype html><html lang="en"><script src="${URL_}/embed/v1/loader.js" async></script>${body}`));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return server;
}
