// Finds objects by any part of their kind or name; Enter goes to the first.
import { signal } from "@preact/signals";
import { objectLink } from "../route.js";
import { objects } from "../store.js";
import { Health } from "./health.js";

const text = signal("");
const shown = 12;

function found() {
  const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const matches = [];
  for (const object of objects.value.values()) {
    const name = `${object.kind} ${object.namespace ?? ""}/${object.name}`.toLowerCase();
    if (words.every((word) => name.includes(word))) matches.push(object);
  }
  matches.sort(
    (one, other) => Number(other.custom) - Number(one.custom) || one.name.localeCompare(other.name),
  );
  return matches.slice(0, shown);
}

export function Search() {
  const matches = found();
  return (
    <search>
      <form
        class="search"
        onSubmit={(event) => {
          event.preventDefault();
          const [first] = matches;
          if (first) location.hash = objectLink(first);
          text.value = "";
        }}
      >
        <input
          type="search"
          aria-label="Find an object"
          placeholder="Find an object"
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape") text.value = "";
          }}
        />
        {text.value.trim() !== "" && (
          <ul class="results">
            {matches.length === 0 && <li>Nothing is called that.</li>}
            {matches.map((object) => (
              <li key={object.uid}>
                <a
                  href={objectLink(object)}
                  onClick={() => {
                    text.value = "";
                  }}
                >
                  <b>{object.kind}</b> {object.namespace && `${object.namespace}/`}
                  {object.name} <Health object={object} />
                </a>
              </li>
            ))}
          </ul>
        )}
      </form>
    </search>
  );
}
