// A part of the page that scrolls by itself, also by keyboard.
import type { ComponentChildren } from "preact";

export function Scroll({
  label,
  name = "",
  children,
}: {
  readonly label: string;
  readonly name?: string;
  readonly children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it nobody could scroll it with the keyboard
    <section class={`scroll ${name}`} tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}
