// A small plot over time, drawn by uPlot.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";

export interface PlotLine {
  readonly label: string;
  readonly colour: string;
  readonly values: readonly number[];
}

export function Plot({
  title,
  times,
  lines,
}: {
  readonly title: string;
  readonly times: readonly number[];
  readonly lines: readonly PlotLine[];
}) {
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const data = [times, ...lines.map(({ values }) => values)] as unknown as uPlot.AlignedData;
  useEffect(() => {
    if (!element.current) return undefined;
    const made = new uPlot(
      {
        width: Math.max(240, Math.min(420, element.current.clientWidth || 360)),
        height: 160,
        legend: { show: false },
        cursor: { show: false },
        axes: [
          { ...axis, values: (_, ticks) => ticks.map(timeOfDay), space: 70 },
          { ...axis, size: 44 },
        ],
        scales: { y: { range: (_, __, most) => [0, Math.max(1, (most || 0) * 1.1)] } },
        series: [
          {},
          ...lines.map(({ label, colour }) => ({
            label,
            stroke: colour,
            width: 1.5,
            points: { show: false },
          })),
        ],
      },
      data,
      element.current,
    );
    plot.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => plot.current?.setData(data), [times.at(-1)]);
  const last = lines.map(({ label, values }) => `${label} ${Math.round(values.at(-1) ?? 0)}`).join(", ");
  return (
    <figure class="plot">
      <figcaption>
        {title}
        {lines.map(({ label, colour }) => (
          <span key={label} class="quiet">
            {" "}
            <span class="swatch" style={{ background: colour }} /> {label}
          </span>
        ))}
      </figcaption>
      <div ref={element} role="img" aria-label={`${title}: ${last}`} />
    </figure>
  );
}

const timeOfDay = (seconds: number): string => new Date(seconds * 1000).toTimeString().slice(0, 8);

const grey = "#8886";
const axis = {
  stroke: "#888",
  grid: { stroke: grey, width: 0.5 },
  ticks: { stroke: grey },
  font: "11px sans-serif",
};
