import { after, afterEach, before, test } from "node:test";
import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { closeFans, launch, newFan, PHONE } from "./browser.ts";
import { chooseInTable, enter, giveBack, hold, openSection, pay, signIn, stadium, URL_ } from "./fan.ts";
import { type Network, narrowNetwork } from "./network.ts";
import { becomes } from "./wait.ts";

let browser: Browser, network: Network | undefined;
before(async () => void (browser = await launch()));
afterEach(async (t) => {
  await closeFans(t);
  await network?.close();
  network = undefined;
});
after(() => browser.close());

const live = (page: Page, state: string, way = ""): Promise<unknown> =>
  page.waitForSelector(`.live[data-state="${state}"]${way && `[data-way="${way}"]`}`);

/** Comes to the seats over a narrow network. */
async function enterBy({ url }: Network, page: Page, eventId: string): Promise<void> {
  await page.goto(`${url}/events/${eventId}`);
  await signIn(page);
  await page.waitForSelector(".best");
}

/** What the browser says of an Upgrade that was refused is no trouble of ours. */
const ours = (trouble: string[]): string[] => trouble.filter((t) => !t.startsWith("WebSocket connection to"));

/** One fan behind the network, another one on the open one: what the other holds and gives back is seen. */
async function seesOthers(page: Page, eventId: string, section: number): Promise<void> {
  const other = await newFan(browser);
  await enter(other.page, eventId);
  await openSection(page, await openSection(other.page, section));
  const [seat] = await chooseInTable(other.page, 1);
  await hold(other.page);
  await page.waitForSelector(`.grid td[data-o="${seat}"][data-look="1"]`);
  await giveBack(other.page);
  await page.waitForSelector(`.grid td[data-o="${seat}"][data-look="0"]`);
}

/** Buys a seat of the open section: hold, payment, ticket. */
async function buys(page: Page): Promise<void> {
  await chooseInTable(page, 1, 2);
  await hold(page);
  await pay(page, "approve");
  await page.waitForURL(/\/orders\//);
  await page.waitForSelector(".qr");
}

test("where no WebSocket comes through the map lives on events, and the sale works", async () => {
  network = await narrowNetwork(URL_, true);
  const { page, trouble } = await newFan(browser);
  const { eventId } = await stadium();
  await enterBy(network, page, eventId);
  await live(page, "live", "events");
  assert.deepEqual(network.tries.slice(0, 2), ["socket", "socket"], "a socket is given a second chance");
  await seesOthers(page, eventId, 19);
  await buys(page);
  await page.goto("about:blank"); // nothing tries any more
  network.tries = [];
  await page.goto(`${network.url}/events/${eventId}`); // the tab remembers what works here
  await live(page, "live", "events");
  assert.equal(network.tries[0], "stream"); // later it may look whether it can move up
  assert.deepEqual(ours(trouble), []);
});

test("where streams do not come through either the map is polled and says so, and the sale works", async () => {
  network = await narrowNetwork(URL_, false);
  const { page, trouble } = await newFan(browser, { ...PHONE, locale: "pt-BR" });
  const { eventId } = await stadium();
  await enterBy(network, page, eventId);
  await live(page, "polling");
  await becomes(() => page.textContent(".live"), "Atualizado a cada poucos segundos");
  await seesOthers(page, eventId, 21);
  await buys(page);
  assert.deepEqual(ours(trouble), []);
});

test("the page moves up by itself when the network lets more through", async () => {
  network = await narrowNetwork(URL_, false);
  const { page } = await newFan(browser, { locale: "es-AR" });
  await page.goto(`${network.url}/events/${(await stadium()).eventId}`);
  await live(page, "polling");
  await becomes(() => page.textContent(".live"), "Se actualiza cada pocos segundos");
  network.letStreams = true;
  await live(page, "live", "events");
  network.letSockets = true;
  await page.evaluate(() => window.dispatchEvent(new Event("online"))); // another network; else it tries within minutes
  await live(page, "live", "socket");
});

test("case 26: a page in a tab that is not shown draws its map when it is", async () => {
  const { page, trouble } = await newFan(browser, PHONE);
  await page.addInitScript(() => { // as browsers do: hidden, and no frames
    const state = { hidden: true };
    const frames = window.requestAnimationFrame.bind(window), waiting: FrameRequestCallback[] = [];
    window.requestAnimationFrame = (then) => (state.hidden ? waiting.push(then) : frames(then));
    Object.defineProperty(window, "framesKept", { get: () => waiting.length });
    Object.defineProperty(document, "hidden", { get: () => state.hidden });
    Object.defineProperty(document, "visibilityState", { get: () => (state.hidden ? "hidden" : "visible") });
    addEventListener("show-tab", () => {
      state.hidden = false;
      document.dispatchEvent(new Event("visibilitychange"));
      waiting.splice(0).forEach((then) => frames(then));
    });
  });
  await page.goto(`${URL_}/events/${(await stadium()).eventId}`);
  await page.waitForSelector(".map-tools", { state: "attached" });
  await page.waitForFunction(() => (window as Window & { framesKept?: number }).framesKept! > 0, null, { polling: 100 });
  await page.evaluate(() => dispatchEvent(new Event("show-tab")));
  await live(page, "live");
  await page.waitForFunction(drawn);
  for (let i = 0; i < 4; i++) await page.locator(".map-tools").getByRole("button", { name: "Zoom in" }).click(); // nearer: what moves comes with frames
  await page.waitForSelector('.map:not([data-level="far"])');
  assert.deepEqual(trouble, []);
});

test("case 26: a map whose place has no size at first is right when it gets one, and when it loses it again", async () => {
  const { page, trouble } = await newFan(browser);
  await page.addInitScript(() => {
    const style = new CSSStyleSheet();
    style.replaceSync("#map { display: none !important }");
    document.adoptedStyleSheets.push(style);
    addEventListener("fold", () => style.replaceSync("#map { display: none !important }"));
    addEventListener("unfold", () => style.replaceSync(""));
  });
  await page.goto(`${URL_}/events/${(await stadium()).eventId}`);
  await page.waitForSelector('.live[data-state="live"]', { state: "attached" });
  for (let again = 0; again < 2; again++) {
    await page.evaluate(() => dispatchEvent(new Event("unfold")));
    await page.waitForFunction(fits); // one look is not enough: what is loaded meanwhile moves the page once more
    await page.waitForFunction(drawn);
    await page.setViewportSize({ width: 1000, height: 700 });
    await page.evaluate(() => dispatchEvent(new Event("fold")));
  }
  assert.deepEqual(trouble, []);
});

/** Whether the lower canvas is exactly as large as its place (runs in the page). */
function fits(): boolean {
  const canvas = document.querySelector<HTMLCanvasElement>(".map-base"), host = document.getElementById("map");
  if (!canvas || !host || host.clientWidth === 0) return false;
  const ratio = canvas.width / canvas.getBoundingClientRect().width;
  return Math.abs(canvas.width / ratio - host.clientWidth) < 2 && Math.abs(canvas.height / ratio - host.clientHeight) < 2;
}

/** Whether there is a venue in the middle of the lower canvas (runs in the page). */
function drawn(): boolean {
  const canvas = document.querySelector<HTMLCanvasElement>(".map-base");
  if (!canvas || canvas.width < 100 || canvas.height < 100) return false;
  const { data } = canvas.getContext("2d")!.getImageData(canvas.width / 4, canvas.height / 4, canvas.width / 2, canvas.height / 2);
  let painted = 0;
  for (let i = 3; i < data.length; i += 4) if (data[i]! > 0) painted++;
  return painted > data.length / 80;
}
