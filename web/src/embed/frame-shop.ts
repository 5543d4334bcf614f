import type { Money } from "../api/types.ts";
import type { FloorMaker } from "../event/setting.ts";
import { Shop } from "../event/shop.ts";

/** The panel for choosing, which tells what is chosen whenever that is another choice. */
export const shopThatTells = (tell: (chosen: { seats: string[]; total: Money }) => void): FloorMaker => class extends Shop {
  readonly #tell: () => void;

  constructor(...[model, actions]: ConstructorParameters<FloorMaker>) {
    super(model, actions);
    let told = "";
    this.#tell = () => {
      const { book, chart } = model, chosen = [...book.chosen].sort((a, b) => a - b);
      const news = { seats: chosen.map((o) => chart.label(o)), total: model.total(chosen, [...book.places]) };
      if (JSON.stringify(news) === told) return;
      told = JSON.stringify(news);
      tell(news);
    };
  }

  override renderChoice(): void {
    super.renderChoice();
    this.#tell();
  }
};
