import { h, icon, icons } from "../base/dom.ts";
import { indexChart } from "../map/chart.ts";
import { readTheme } from "../map/theme.ts";
import { drawView } from "../map/view-drawing.ts";
import type { EventModel } from "./model.ts";
import { t } from "./choosing-words.ts";

interface ViewDocument { views: { section: string; url: string; width: number; height: number }[] }

/** How this page asks for something of ours by its path. */
export type Ask = (path: string, accept: string) => Promise<Response>;

const WIDE = 1120, HIGH = 630; // pixels of a drawn view

/**
 * Shows what one sees from a section, in a dialog over the map: the organizer's picture where there is one, else one that is
 * drawn from the plan. Both end on a canvas, so that a page whose policy knows no images of ours shows it too.
 */
export function showView(model: EventModel, section: number, host: HTMLElement, ask: Ask): void {
  const { chart } = model, { label } = chart.sections[section];
  const title = t("viewFrom", { section: model.sectionName(section) });
  const canvas = h("canvas", { class: "view-picture", width: WIDE, height: HIGH, role: "img", "aria-label": title });
  const note = h("p", { class: "small soft" }, t("viewDrawn"));
  const close = h("button", { class: "remove", type: "button", "aria-label": t("viewClose"), onclick: () => dialog.close() }, icon(icons.close));
  const dialog: HTMLDialogElement = h("dialog", { class: "view-dialog", "aria-label": title, onclose: () => over(), onclick: (e: MouseEvent) => e.target === dialog && dialog.close() },
    h("div", { class: "view-head" }, h("h2", null, title), close), canvas, note);
  host.append(dialog);
  const dark = matchMedia("(prefers-color-scheme: dark)"), draw = (): void => drawView(canvas.getContext("2d")!, indexChart(chart), section, readTheme(host));
  const over = (): void => {
    dark.removeEventListener("change", draw);
    dialog.remove();
  };
  draw();
  dark.addEventListener("change", draw); // of a page that is dark in the evening
  dialog.showModal();
  given(model.detail.chart.chartId, label, ask).then((picture) => {
    if (!picture || !dialog.open) return picture?.close();
    dark.removeEventListener("change", draw);
    canvas.width = picture.width;
    canvas.height = picture.height;
    canvas.getContext("2d")!.drawImage(picture, 0, 0);
    picture.close();
    note.textContent = t("viewGiven");
  }, () => {}); // what is drawn stays
}

/** The organizer's picture of a section, or null. */
async function given(chart: string, section: string, ask: Ask): Promise<ImageBitmap | null> {
  const { views } = (await (await ask(`/v1/charts/${chart}/views`, "application/json")).json()) as ViewDocument;
  const found = views.find((v) => v.section === section);
  return found ? createImageBitmap(await (await ask(found.url, "image/*")).blob()) : null;
}
