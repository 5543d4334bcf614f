/** English texts. Its keys are the dictionary's keys. `key_one` and `key_other` belong to `plural("key", n)`. */
export const en = {
  brand: "Plateia",
  events: "Events",
  myOrders: "My orders",
};
