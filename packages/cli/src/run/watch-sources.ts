// Hears of saves below a folder, a little after the last of several that come together. Each folder is watched by itself: watching
// them all at once loses files that an editor replaces instead of writing to, on Linux with Node 20.
import { existsSync, type FSWatcher, readdirSync, watch } from "node:fs";
import { join } from "node:path";

/** How long editors may take over one save, in milliseconds. */
const settling = 40;

/** Calls when something was saved, until it is closed. */
export function watchSources(folder: string, onSave: () => void): { close(): void } {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const there = new Set(foldersIn(folder));
    for (const [path, watcher] of watchers)
      if (!there.has(path)) {
        watcher.close();
        watchers.delete(path);
      }
    for (const path of there)
      if (!watchers.has(path))
        watchers.set(
          path,
          watch(path, changed).on("error", () => undefined),
        );
  };
  const changed = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      // Folders may have come with what was saved.
      look();
      onSave();
    }, settling);
  };
  look();
  return {
    close() {
      clearTimeout(timer);
      for (const watcher of watchers.values()) watcher.close();
    },
  };
}

function foldersIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const below = readdirSync(folder, { recursive: true, withFileTypes: true });
  return [
    folder,
    ...below.filter((entry) => entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name)),
  ];
}
