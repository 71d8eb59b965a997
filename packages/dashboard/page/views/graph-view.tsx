// The graph of everything custom in the chosen namespace, down to pods; or of one family.
import { signal } from "@preact/signals";
import { Notice } from "../parts/notice.js";
import { customObjects, isSynced, objects } from "../store.js";
import { Graph } from "./graph.js";
import { familiesOf } from "./graph-layout.js";

const onlyFailing = signal(false);

export function GraphView(_: { readonly route: readonly string[] }) {
  const all = familiesOf(
    objects.value,
    customObjects.value.map(({ uid }) => uid),
  );
  const drawn = onlyFailing.value ? unhealthy(all) : all;
  return (
    <section>
      <h1>Graph</h1>
      <label>
        <input
          type="checkbox"
          checked={onlyFailing.value}
          onChange={(event) => {
            onlyFailing.value = event.currentTarget.checked;
          }}
        />{" "}
        only families with something that is not ready
      </label>
      {drawn.length === 0 ? (
        <Notice>{isSynced.value ? "There is nothing to draw." : "Reading the cluster."}</Notice>
      ) : (
        <Graph objects={drawn} />
      )}
    </section>
  );
}

function unhealthy(all: Parameters<typeof Graph>[0]["objects"]) {
  const map = new Map(all.map((object) => [object.uid, object]));
  const uids = all.filter(({ health }) => health !== "ready").map(({ uid }) => uid);
  return familiesOf(map, uids);
}
