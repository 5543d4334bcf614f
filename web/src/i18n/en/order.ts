export const order = {
  // orders
  seats_one: "{n} seat",
  seats_other: "{n} seats",
  paySignIn: "Use the e\u2011mail address you ordered with. We send you a code: no password needed.",
  ordersTitle: "My orders",
  ordersEmpty: "No orders yet",
  ordersEmptyLead: "Tickets you buy will appear here.",
  ordersSignIn: "Your orders and tickets are kept under your e\u2011mail address. We send you a code: no password needed.",
  ordersMore: "Show more orders",
  orderedOn: "Ordered {date}",

  // statuses
  st_PENDING_PAYMENT: "Waiting for payment",
  st_CONFIRMED: "Confirmed",
  st_FAILED: "Payment declined",
  st_EXPIRED: "Expired",
  st_CANCELLED: "Cancelled",
  st_REVIEW: "In review",
  st_REFUNDED: "Refunded",
  st_PARTLY_REFUNDED: "Partly refunded",
  ordersFind: "Find events",
  ordersFailed: "This page could not be loaded",
  orderUnknown: "We could not find this order",
  orderUnknownLead: "The link may be old or mistyped, or the order belongs to another account.",
};
