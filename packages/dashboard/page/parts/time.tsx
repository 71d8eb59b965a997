// Times as people read them.
import { signal } from "@preact/signals";

/** Moves on once a second, so that ages do. */
export const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 1_000);

export function duration(milliseconds: number): string {
  const absolute = Math.abs(milliseconds);
  if (absolute < 1) return "<1 ms";
  if (absolute < 1_000) return `${Math.round(absolute)} ms`;
  const seconds = Math.floor(absolute / 1_000);
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}

/** How long ago, or in how long; the whole time on hover. */
export function Age({ time }: { readonly time: string | undefined }) {
  if (time === undefined) return <span>–</span>;
  const difference = now.value - Date.parse(time);
  // The clock of the page moves once a second, so what has just happened may seem to lie ahead.
  const isNow = Math.abs(difference) < 1_500;
  const text = isNow ? "now" : difference > 0 ? duration(difference) : `in ${duration(difference)}`;
  return (
    <time dateTime={time} title={time}>
      {text}
    </time>
  );
}
