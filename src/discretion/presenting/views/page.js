"use strict";
// Draws each figure from the specification beside it; folded ones when they are unfolded.
{
  const options = { actions: false, ast: true, mode: "vega-lite", renderer: "svg", defaultStyle: false, tooltip: { disableDefaultStyle: true } };
  const draw = async (figure) => {
    if (figure.dataset.state) return;
    figure.dataset.state = "drawing";
    const canvas = figure.querySelector(".chart");
    try {
      await vegaEmbed(canvas, JSON.parse(figure.querySelector("script").textContent), options);
      // Marks without words say nothing to who hears the figure; its label and the marks with words do.
      for (const mark of canvas.querySelectorAll('[role="graphics-symbol"]:not([aria-label])')) mark.setAttribute("aria-hidden", "true");
      figure.dataset.state = "drawn";
    } catch (error) {
      figure.dataset.state = "failed";
      canvas.textContent = "This chart could not be drawn. The table below it has the same numbers.";
      console.error(error);
    }
  };
  const drawOpen = () => {
    for (const figure of document.querySelectorAll("figure[data-chart]")) {
      if (!figure.closest("details:not([open])")) draw(figure);
    }
  };
  for (const details of document.querySelectorAll("details")) details.addEventListener("toggle", drawOpen);
  // What a link leads to is unfolded, with what it is in.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let node = target?.closest("details"); node; node = node.parentElement.closest("details")) node.open = true;
    target?.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  for (const link of document.querySelectorAll('a[href^="#"]')) {
    link.addEventListener("click", () => link.hash === location.hash && reveal());
  }
  if (location.hash) reveal();
  addEventListener("answered", () => {  // where a page gets its document later
    for (const details of document.querySelectorAll("details")) details.addEventListener("toggle", drawOpen);
    drawOpen();
  });
  drawOpen();
}
