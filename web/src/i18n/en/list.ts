export const list = {
  // event list
  search: "Search",
  listEmpty: "Nothing matches “{q}”",
  listEmptyLead: "Try another word, or look at everything that is on.",
  listNothing: "No events yet",
  listNothingLead: "As soon as something goes on sale you will find it here.",
  showAll: "Show all events",
  found_one: "{n} event",
  found_other: "{n} events",
  from: "from {price}",
  avail_on_sale_soon: "On sale soon",
  avail_available: "Available",
  avail_limited: "Few left",
  avail_sold_out: "Sold out",
  avail_cancelled: "Cancelled",
  onSaleFrom: "On sale from {date}",
};
