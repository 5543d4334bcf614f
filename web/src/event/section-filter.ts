import { h, icon, icons } from "../base/dom.ts";
import { count, t } from "./choosing-words.ts";
import type { EventModel } from "./model.ts";
import type { Part } from "./part.ts";

/** Where in the venue: any number of sections, added one by one, each with its way out. */
export function sectionFilter(model: EventModel, looking: (section: number) => void): Part {
  const { filter, chart } = model;
  const select = h("select", { class: "select", id: "filter-section", onchange: () => add(Number(select.value)), onfocus: () => options() });
  const chips = h("ul", { class: "chips" });
  const chosen = (): readonly string[] => filter.wishes.sections ?? [];

  function add(section: number): void {
    if (select.value === "") return filter.drop("sections");
    filter.set({ sections: [...chosen(), chart.sections[section].label] });
    looking(section);
  }
  function remove(label: string): void {
    filter.set({ sections: chosen().filter((s) => s !== label) });
    (chips.querySelector<HTMLElement>("button") ?? select).focus();
  }
  /** Sections with something that fits otherwise; how much is as new as the moment in which the list is opened. */
  function options(): void {
    const taken = new Set(chosen()), fit = filter.countsWithout("sections");
    const free = chart.sections.flatMap((s, i): [number, string][] => (fit[i] > 0 && !taken.has(s.label)
      ? [[i, t("optionFreeIn", { name: model.sectionName(i), n: count(fit[i]) })]] : []));
    select.replaceChildren(h("option", { value: "" }, taken.size > 0 ? t("addSection") : t("wholeVenue")), ...free.map(([i, text]) => h("option", { value: i }, text)));
    if (taken.size > 0) select.append(h("option", { value: "" }, t("wholeVenue")));
  }
  function show(): void {
    options();
    chips.hidden = chosen().length === 0;
    chips.replaceChildren(...chosen().map((label) => {
      const section = model.sectionOf(label), name = section < 0 ? label : model.sectionName(section);
      return h("li", null, h("button", { class: "chip", type: "button", "aria-label": t("removeFilter", { name }), onclick: () => remove(label) }, name, icon(icons.close)));
    }));
  }
  show();
  const element = h("div", { class: "field" }, h("label", { for: "filter-section" }, t("whereFilter")), select, chips);
  return { element, stop: filter.watch(show) };
}
