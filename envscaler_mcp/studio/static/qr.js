// A QR code that the farm has made, drawn. It is dark on white in the dark, too: cameras want it so.

const SVG = "http://www.w3.org/2000/svg";
const MARGIN = 4;

export function qrPicture(rows, name) {
  const size = rows.length + 2 * MARGIN;
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "qr");
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", name);
  const path = document.createElementNS(SVG, "path");
  const runs = rows.flatMap((row, y) => [...row.matchAll(/1+/g)].map((run) => `M${run.index + MARGIN} ${y + MARGIN}h${run[0].length}v1h-${run[0].length}z`));
  path.setAttribute("d", runs.join(""));
  svg.append(path);
  return svg;
}
