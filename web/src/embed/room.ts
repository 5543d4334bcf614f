import { h } from "../base/dom.ts";
import { LinePage } from "../line/page.ts";
import type { Room } from "../event/setting.ts";

/** The waiting room inside the frame: it is the same one, so nobody loses a place, or has two, by where they wait. */
export function waitHere(event: string, enter: boolean, inside: () => void): Room {
  const board = h("section", { class: "sheet board", id: "board", "aria-busy": "true" }, h("div", { class: "bone" }));
  const page = new LinePage(event, {
    board, enter, inside, head: () => {}, title: () => {},
    gone: (...content) => board.replaceChildren(...content),
    toEvent: (label) => h("button", { class: "button wide", type: "button", onclick: inside }, label),
  });
  page.start();
  return { element: board, stop: () => page.stop() };
}
