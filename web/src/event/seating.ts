import { SeatBook } from "../map/book.ts";
import { withFocus } from "../map/focus.ts";
import { type Chart, openGeometry } from "../map/geometry.ts";

/** A chart with the statuses of its seats, as far as they are known. What is not seen from afar is read last: see complete. */
export class Seating {
  readonly chart: Chart;
  readonly book: SeatBook;
  #seats: (() => void) | null;

  /** Throws a GeometryError for bytes that are none. */
  constructor(geometry: ArrayBuffer) {
    const { chart, seats } = openGeometry(geometry);
    this.chart = chart;
    this.#seats = seats;
    if (chart.shapes.length === 0) this.complete(); // where a stage or field of ours goes depends on the seats
    this.book = new SeatBook(withFocus(chart));
  }

  /** Reads rows and seats, if that is still to be done; throws like the constructor. */
  complete(): void {
    this.#seats?.();
    this.#seats = null;
  }
}
