// Writes down what the element tells: a partner's own code would do something with it.
const log = document.getElementById("log");
for (const name of ["ready", "select", "hold", "checkout", "order", "lost", "error"]) {
  document.addEventListener(`plateia-${name}`, (e) => {
    const line = document.createElement("li");
    line.textContent = `${e.type} ${JSON.stringify(e.detail)}`;
    log.prepend(line);
    while (log.childElementCount > 20) log.lastElementChild.remove();
  });
}
