// The frame of the page: where one is, where one can go, and whether what is shown is still live.
import { about, type ConnectionState, state } from "./connection.js";
import { Notice } from "./parts/notice.js";
import { Search } from "./parts/search.js";
import { SignIn } from "./parts/sign-in.js";
import { route } from "./route.js";
import { loops, namespace, namespaces, problems } from "./store.js";
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
          <span class="hidden">Namespace</span>
          <select
            value={namespace.value}
            onChange={(event) => {
              namespace.value = event.currentTarget.value;
            }}
          >
            <option value="">all namespaces</option>
            {namespaces.value.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <Connection />
      </header>
      <main id="main" tabIndex={-1}>
        {state.value.phase === "refused" ? (
          <Refused refusal={state.value} />
        ) : (
          <>
            <ClusterProblem />
            <View place={place} rest={rest} />
          </>
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
    <span class={`connection ${value.phase}`} role="status" title={text}>
      {text}
    </span>
  );
}

/** The dashboard is there, but the cluster behind it is not: said on every view, because nothing on it is of now. */
function ClusterProblem() {
  const found = problems.value.find(({ reason }) => reason === "unreachable" || reason === "unauthorized");
  if (!found || state.value.phase !== "open") return null;
  const message = found.message.replace(/^\w+ \w+: /, "");
  return (
    <Notice kind="warning">
      {found.reason === "unreachable"
        ? `The cluster does not answer, trying again: ${message}. What is shown is what was last known.`
        : `The API server no longer accepts the credentials of the dashboard: ${message}.`}
    </Notice>
  );
}

function Refused({ refusal }: { readonly refusal: Extract<ConnectionState, { phase: "refused" }> }) {
  const { message, signsIn, hadToken } = refusal;
  if (signsIn) return <SignIn problem={hadToken ? message : undefined} />;
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
