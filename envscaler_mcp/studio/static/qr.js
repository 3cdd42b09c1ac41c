// A QR code that the farm has made, drawn. It is dark on white in the dark, too: cameras want it so.

import { svg } from "./dom.js";

const MARGIN = 4;

export function qrPicture(rows, name) {
  const size = rows.length + 2 * MARGIN;
  const runs = rows.flatMap((row, y) => [...row.matchAll(/1+/g)].map((run) => `M${run.index + MARGIN} ${y + MARGIN}h${run[0].length}v1h-${run[0].length}z`));
  return svg("svg", { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": name }, svg("path", { d: runs.join("") }));
}
