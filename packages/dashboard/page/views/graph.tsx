// Objects and what owns what, drawn. Boxes are links, so the keyboard reaches them.
import { memo } from "preact/compat";
import type { ObjectSummary } from "../../src/protocol.js";
import { Notice } from "../parts/notice.js";
import { Scroll } from "../parts/scroll.js";
import { objectLink } from "../route.js";
import { boxHeight, boxWidth, type Line, layout } from "./graph-layout.js";

const margin = 10;
const most = 600;

export function Graph({ objects }: { readonly objects: readonly ObjectSummary[] }) {
  if (objects.length === 0) return <Notice>There is nothing to draw.</Notice>;
  const { placed, lines, width, height } = layout(objects.slice(0, most));
  const size = { width: width + 2 * margin, height: height + 2 * margin };
  return (
    <>
      {objects.length > most && (
        <Notice>
          Only {most} of {objects.length} objects are drawn; choose a namespace.
        </Notice>
      )}
      <Scroll label="Graph of objects" name="graph">
        <svg {...size} viewBox={`${-margin} ${-margin} ${size.width} ${size.height}`}>
          <title>Objects and their owners</title>
          {lines.map((line) => (
            <path key={line.id} class={line.kind} d={curve(line)} />
          ))}
          {placed.map(({ object, x, y }) => (
            <Box key={object.uid} object={object} x={x} y={y} />
          ))}
        </svg>
      </Scroll>
    </>
  );
}

function curve({ kind, from, to }: Line): string {
  const [x1, y1] = [from.x + boxWidth, from.y + boxHeight / 2];
  const [x2, y2] =
    kind === "owns" || to.x > from.x ? [to.x, to.y + boxHeight / 2] : [to.x + boxWidth, to.y + boxHeight / 2];
  const bend = kind === "owns" ? (x2 - x1) / 2 : 60;
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - (x2 > x1 ? bend : -bend)} ${y2} ${x2} ${y2}`;
}

interface BoxProps {
  readonly object: ObjectSummary;
  readonly x: number;
  readonly y: number;
}

const Box = memo(
  ({ object, x, y }: BoxProps) => (
    <a href={objectLink(object)}>
      <title>{`${object.kind} ${object.name}, ${object.message ?? object.health}`}</title>
      <g class={`box ${object.health}`} transform={`translate(${x} ${y})`}>
        <rect width={boxWidth} height={boxHeight} rx="5" />
        <text x="9" y="16" class="kind">
          {cut(object.kind)}
        </text>
        <text x="9" y="32">
          {cut(object.name)}
        </text>
      </g>
    </a>
  ),
  (before, after) => before.object === after.object && before.x === after.x && before.y === after.y,
);

const cut = (text: string): string => (text.length > 25 ? `${text.slice(0, 11)}…${text.slice(-12)}` : text);
