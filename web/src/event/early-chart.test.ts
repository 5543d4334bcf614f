import { test } from "node:test";
import assert from "node:assert/strict";
import { chartOf } from "./early-chart.ts";

const bytes = new ArrayBuffer(4);

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
