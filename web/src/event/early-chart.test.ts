import { test } from "node:test";
import assert from "node:assert/strict";
import { chartOf as chartBy, type Reading } from "./early-chart.ts";

const bytes = new ArrayBuffer(4);

const same = { read: (b: ArrayBuffer): ArrayBuffer => b, show: (): void => {} };
const chartOf = (event: string, ask: (url: string, again: boolean) => Promise<ArrayBuffer>): ((url: string) => Promise<ArrayBuffer>) => chartBy(event, same, ask);

/** Answers requests by their addresses, and keeps them. */
function asking(answer: (url: string) => ArrayBuffer | Promise<ArrayBuffer> = () => bytes): { asked: string[]; ask: (url: string, again: boolean) => Promise<ArrayBuffer> } {
  const asked: string[] = [];
  return { asked, ask: async (url, again) => (asked.push(`${url}${again ? "" : " early"}`), answer(url)) };
}

test("a chart is asked for early from the second visit on, and once", async () => {
  const first = asking();
  assert.equal(await chartOf("e1", first.ask)("/v1/charts/a/1"), bytes);
  assert.deepEqual(first.asked, ["/v1/charts/a/1"]);
  const second = asking(), get = chartOf("e1", second.ask);
  assert.deepEqual(second.asked, ["/v1/charts/a/1 early"]);
  assert.equal(await get("/v1/charts/a/1"), bytes);
  assert.deepEqual(second.asked, ["/v1/charts/a/1 early"]);
});

test("an event with another chart gets that one, and it is remembered", async () => {
  await chartOf("e2", asking().ask)("/v1/charts/a/1");
  const now = asking();
  await chartOf("e2", now.ask)("/v1/charts/a/2");
  assert.deepEqual(now.asked, ["/v1/charts/a/1 early", "/v1/charts/a/2"]);
  const next = asking();
  chartOf("e2", next.ask);
  assert.deepEqual(next.asked, ["/v1/charts/a/2 early"]);
});

test("an early request that fails is made again in the open, and so is one whose answer was of no use", async () => {
  await chartOf("e3", asking().ask)("/v1/charts/a/1");
  let broken = true;
  const now = asking(() => (broken ? Promise.reject(new Error("offline")) : bytes)), get = chartOf("e3", now.ask);
  await assert.rejects(get("/v1/charts/a/1"), /offline/);
  broken = false;
  assert.equal(await get("/v1/charts/a/1"), bytes);
  assert.deepEqual(now.asked, ["/v1/charts/a/1 early", "/v1/charts/a/1", "/v1/charts/a/1"]);
});

test("only so many events are remembered", async () => {
  for (let i = 0; i < 12; i++) await chartOf(`many${i}`, asking().ask)("/v1/charts/a/1");
  const [old, young] = [asking(), asking()];
  chartOf("many3", old.ask);
  chartOf("many4", young.ask);
  assert.deepEqual([old.asked.length, young.asked.length], [0, 1]);
});

/** Keeps what was shown early. */
function showing(): { shown: string[]; reading: Reading<string>; once: Promise<void> } {
  const shown: string[] = [];
  let resolve = (): void => {};
  const once = new Promise<void>((done) => (resolve = done));
  return { shown, once, reading: { read: (b) => `chart of ${b.byteLength}`, show: (c) => (shown.push(c), resolve()) } };
}

test("what is known from before is read once, and shown before the event has answered", async () => {
  await chartOf("e5", asking().ask)("/v1/charts/a/1");
  const { shown, reading, once } = showing(), get = chartBy("e5", reading, asking().ask);
  await once;
  assert.equal(await get("/v1/charts/a/1"), "chart of 4");
  assert.deepEqual(shown, ["chart of 4"]);
});

test("what an event no longer has is not shown once that is known", async () => {
  const first = showing();
  await chartBy("e6", first.reading, asking().ask)("/v1/charts/a/1");
  let arrive = (_: ArrayBuffer): void => {};
  const slow = new Promise<ArrayBuffer>((done) => (arrive = done)), then = showing();
  const get = chartBy("e6", then.reading, (url) => (url.endsWith("1") ? slow : Promise.resolve(bytes)));
  assert.equal(await get("/v1/charts/a/2"), "chart of 4");
  arrive(bytes);
  await new Promise((done) => setImmediate(done));
  assert.deepEqual([first.shown, then.shown], [["chart of 4"], ["chart of 4"]], "each once, the second what it has now");
});

test("a chart from before that nobody can read is asked for again", async () => {
  await chartOf("e7", asking().ask)("/v1/charts/a/1");
  let times = 0;
  const read = (b: ArrayBuffer): ArrayBuffer => {
    if (times++ === 0) throw new RangeError("torn");
    return b;
  };
  const now = asking();
  assert.equal(await chartBy("e7", { read, show: (c) => assert.equal(c, bytes) }, now.ask)("/v1/charts/a/1"), bytes);
  assert.deepEqual(now.asked, ["/v1/charts/a/1 early", "/v1/charts/a/1"]);
});
