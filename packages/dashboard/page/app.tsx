// The frame of the page: where one is, where one can go, and whether what is shown is still live.
import { about, state } from "./connection.js";
import { Search } from "./parts/search.js";
import { route } from "./route.js";
import { loops, namespace, namespaces } from "./store.js";
import { Cluster } from "./views/cluster.js";
import { Controllers } from "./views/controllers.js";
import { GraphView } from "./views/graph-view.js";
import { ObjectView } from "./views/object-view.js";
import { Overview } from "./views/overview.js";
import { Resources } from "./views/resources.js";
import { Schedules } from "./views/schedules.js";
import { Timeline } from "./views/timeline.js";

const places = [
  ["", "Overview"],
  ["resources", "Resources"],
  ["graph", "Graph"],
  ["controllers", "Controllers"],
  ["timeline", "Timeline"],
  ["schedules", "Schedules"],
  ["cluster", "Cluster"],
] as const;

export function App() {
  const [place = "", ...rest] = route.value;
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header>
        <strong class="brand">Kubewright</strong>
        <nav aria-label="Views">
          {places.map(([name, title]) => (
            <a key={name} href={`#/${name}`} aria-current={isAt(place, name) ? "page" : undefined}>
              {title}
              {name === "timeline" && loops.value.length > 0 && (
                <span class="badge">{loops.value.length}</span>
              )}
            </a>
          ))}
        </nav>
        <Search />
        <label class="namespace">
          Namespace
          <select
            value={namespace.value}
            onChange={(event) => {
              namespace.value = event.currentTarget.value;
            }}
          >
            <option value="">all</option>
            {namespaces.value.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <Connection />
      </header>
      <main id="main" tabIndex={-1}>
        {state.value.phase === "refused" ? (
          <Refused message={state.value.message} />
        ) : (
          <View place={place} rest={rest} />
        )}
      </main>
    </>
  );
}

const isAt = (place: string, name: string): boolean =>
  place === name || (place === "object" && name === "resources");

function View({ place, rest }: { readonly place: string; readonly rest: readonly string[] }) {
  switch (place) {
    case "resources":
      return <Resources route={rest} />;
    case "object":
      return <ObjectView key={rest.join("/")} route={rest} />;
    case "graph":
      return <GraphView route={rest} />;
    case "controllers":
      return <Controllers />;
    case "timeline":
      return <Timeline />;
    case "schedules":
      return <Schedules />;
    case "cluster":
      return <Cluster />;
    default:
      return <Overview />;
  }
}

function Connection() {
  const { value } = state;
  const text =
    value.phase === "open"
      ? (about.value?.server ?? "connected")
      : value.phase === "lost"
        ? `disconnected, trying again (${value.attempt})`
        : value.phase;
  return (
    <span class={`connection ${value.phase}`} role="status">
      {text}
    </span>
  );
}

function Refused({ message }: { readonly message: string }) {
  return (
    <section>
      <h1>No access</h1>
      <p>
        The server refused this page: {message}. Open the address that was printed when the dashboard started;
        it has the token in it, and a new one is made with every start.
      </p>
    </section>
  );
}
