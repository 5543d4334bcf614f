import { HELD, FREE, SeatBook, SOLD } from "../src/map/book.ts";
import { indexChart } from "../src/map/chart.ts";
import { bowl } from "../src/map/sample-chart.ts";
import { SeatMap } from "../src/map/seat-map.ts";

// 60,000 seats, of which 10 change before every frame (about 500 a second), while the camera rests or is dragged.
const chart = bowl();
const book = new SeatBook(chart);
book.snapshot(Uint8Array.from({ length: chart.seats }, (_, o) => (o * 7919) % 10 < 6 ? FREE : (o * 7919) % 10 < 8 ? HELD : SOLD));
const host = document.getElementById("map")!;
const map = new SeatMap(host, indexChart(chart), book, { seatTap() {}, hover() {}, lookingAt() {} }, "Stage");
const frame = (): Promise<number> => new Promise((done) => requestAnimationFrame(done));

let seed = 1;

window.measure = async (scene, frames) => {
  map.fit();
  await new Promise((done) => setTimeout(done, 700));
  for (let pitch = 0; scene !== "far" && pitch < 12 && map.detail.level !== scene; pitch++) {
    map.zoom(1.35);
    await new Promise((done) => setTimeout(done, 600));
  }
  if (map.detail.level !== scene) throw new Error(`the map shows ${map.detail.level}, not ${scene}`);
  map.drawTimes.length = 0;
  for (let f = 0; f < frames; f++) {
    const changes = Array.from({ length: 10 }, (_, i) => ({ ordinal: (f * 6007 + i * 977 + ++seed * 31) % chart.seats, status: seed % 3 }));
    map.changed(book.apply(changes));
    if (f % 10 === 0) map.redraw(); // every tenth frame everything, as when the camera moves
    await frame();
  }
  await frame();
  return [...map.drawTimes];
};
