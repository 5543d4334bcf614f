import { HELD, FREE, SeatBook, SOLD } from "../src/map/book.ts";
import { indexChart } from "../src/map/chart.ts";
import { bowl } from "../src/map/sample-chart.ts";
import { withFocus } from "../src/map/focus.ts";
import { RowLabels } from "../src/map/row-labels.ts";
import { SeatMap } from "../src/map/seat-map.ts";
import { zoom } from "../src/map/travel.ts";
import { yardstick } from "./yardstick.ts";

// 60,000 seats, of which 10 change before every frame (about 500 a second), while the camera rests or is dragged.
const chart = bowl();
const book = new SeatBook(chart);
book.snapshot(Uint8Array.from({ length: chart.seats }, (_, o) => (o * 7919) % 10 < 6 ? FREE : (o * 7919) % 10 < 8 ? HELD : SOLD));
const host = document.getElementById("map")!;
const map = new SeatMap(host, indexChart(withFocus(chart)), book, { stage: "Stage", places: String });
map.labelRows(new RowLabels(map.index));
const drawTimes: number[] = [];
map.events = { drew: (ms) => void drawTimes.push(ms) };
const frame = (): Promise<number> => new Promise((done) => requestAnimationFrame(done));

/** The map comes to rest at a level of detail; how long the flights there take does not matter. */
window.goTo = async (scene) => {
  map.fit();
  await atRest();
  for (let pitch = 0; scene !== "far" && pitch < 12 && map.detail.level !== scene; pitch++) {
    zoom(map, book, 1.35);
    await atRest();
  }
  if (map.detail.level !== scene) throw new Error(`the map shows ${map.detail.level}, not ${scene}`);
};

async function atRest(): Promise<void> {
  for (let still = 0, drawn = -1; still < 30; still = drawTimes.length === drawn ? still + 1 : 0) {
    drawn = drawTimes.length;
    await frame();
    if (drawn > 500) drawTimes.length = drawn = 0;
  }
}

/** Draw times in ms; frame f of one call has the same work as frame f of another. */
window.measure = async (frames) => {
  drawTimes.length = 0;
  for (let f = 0; f < frames; f++) {
    const changes = Array.from({ length: 10 }, (_, i) => ({ ordinal: (f * 6007 + i * 7901) % chart.seats, status: (f + i) % 3 }));
    const back = changes.map(({ ordinal }) => ({ ordinal, status: book.status[ordinal]! }));
    map.changed(book.apply(changes));
    if (f % 10 === 0) map.redraw(); // every tenth frame everything, as when the camera moves
    await frame();
    book.apply(back); // drawn with the next frame that draws these seats
  }
  await frame();
  return drawTimes.slice(0, frames);
};

window.yardstick = () => yardstick().best;
