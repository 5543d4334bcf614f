export const page = {
  // shell
  skip: "Skip to content",
  mainMenu: "Main menu",
  myOrders: "My orders",
  noScript: "This page needs JavaScript to show live seats. Please switch it on and reload the page.",
  loading: "Loading…",
  footer: "Every seat is sold once. The total you see is what you pay.",

  // errors
  missingTitle: "There is no such page",

  // event list
  listTitle: "What do you want to see live?",
  listLead: "Live seat maps, honest prices, and a line that is fair.",
  searchLabel: "Search by event, artist, venue or city",
  searchPlaceholder: "Event, artist, venue or city",

  // map
  mapTitle: "Seat map",
};
