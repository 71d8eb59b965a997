// Hears of saves below a folder, a little after the last of several that come together.
import { type FSWatcher, watch } from "node:fs";

/** How long editors may take over one save, in milliseconds. */
const settling = 40;

/** Calls when something was saved, until it is closed. */
export function watchSources(folder: string, onSave: () => void): { close(): void } {
  let timer: NodeJS.Timeout | undefined;
  const watcher: FSWatcher = watch(folder, { recursive: true }, () => {
    clearTimeout(timer);
    timer = setTimeout(onSave, settling);
  });
  return {
    close() {
      clearTimeout(timer);
      watcher.close();
    },
  };
}
