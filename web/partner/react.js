// A React 19 page around the element: no wrapper is needed. It renders again every second, and its callbacks change each time.
import { createElement as e, useEffect, useRef, useState } from "react";
import { createRoot } from "react-dom/client";

function Tickets({ event }) {
  const [renders, setRenders] = useState(0), [chosen, setChosen] = useState([]), [heard, setHeard] = useState(null);
  const [dark, setDark] = useState(false), [shown, setShown] = useState(true), map = useRef(null);
  useEffect(() => {
    const timer = setInterval(() => setRenders((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  const select = (news) => {
    setChosen(news.detail.seats);
    setHeard(renders); // an old callback would write down an old number
  };
  return e("div", null,
    e("h1", null, "Tickets in React"),
    e("p", null, "Renders: ", e("b", { id: "renders" }, renders), ", the last choice was heard in render ", e("b", { id: "heard" }, heard ?? "–")),
    e("p", null,
      e("button", { id: "theme", onClick: () => setDark(!dark) }, dark ? "Light" : "Dark"), " ",
      e("button", { id: "clear", onClick: () => map.current?.clear() }, "Clear"), " ",
      e("button", { id: "shown", onClick: () => setShown(!shown) }, shown ? "Take away" : "Bring back")),
    shown && e("plateia-map", { ref: map, event, class: "tickets", theme: dark ? "dark" : "light", "max-seats": 4, "onplateia-select": select }),
    e("p", { id: "chosen" }, chosen.length > 0 ? `Chosen: ${chosen.join(", ")}` : "Nothing is chosen."));
}

createRoot(document.getElementById("root")).render(e(Tickets, { event: "__EVENT__" }));
