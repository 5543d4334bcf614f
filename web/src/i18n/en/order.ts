export const order = {
  // orders
  seats_one: "{n} seat",
  seats_other: "{n} seats",
  paySignIn: "Sign in to see this order",
  ordersTitle: "My orders",
  ordersEmpty: "No orders yet",
  ordersEmptyLead: "When you buy tickets you find them here.",
  ordersSignIn: "Sign in to see your orders and tickets.",
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
};
