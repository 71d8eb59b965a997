// The members of what an object stands for: who leads, who is healthy, and the pod each one runs in.
import type { MemberInfo, ObjectSummary } from "../../src/protocol.js";
import { Health } from "../parts/health.js";
import { Notice } from "../parts/notice.js";
import { Scroll } from "../parts/scroll.js";
import { objectLink } from "../route.js";
import { objects } from "../store.js";

export function Members({ of: owner }: { readonly of: ObjectSummary | undefined }) {
  const members = owner?.members ?? [];
  if (members.length === 0) return <Notice>Its status lists no members.</Notice>;
  const fields = [...new Set(members.flatMap((member) => member.fields.map(([name]) => name)))];
  const pods = podsByName(owner?.namespace);
  return (
    <Scroll label="Members">
      <table class="members">
        <thead>
          <tr>
            {["Member", "Role", "Health", ...fields, "Pod"].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <Member key={member.name} member={member} fields={fields} pod={pods.get(member.name)} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function Member({
  member,
  fields,
  pod,
}: {
  readonly member: MemberInfo;
  readonly fields: readonly string[];
  readonly pod: ObjectSummary | undefined;
}) {
  const values = new Map(member.fields);
  return (
    <tr>
      <th scope="row">{member.name}</th>
      <td>{member.role === "leader" || member.role === "primary" ? <b>{member.role}</b> : member.role}</td>
      <td class={member.isHealthy === undefined ? "" : member.isHealthy ? "ready" : "failed"}>
        {member.isHealthy !== undefined && <span aria-hidden="true">{member.isHealthy ? "✓ " : "✕ "}</span>}
        {member.health || "not said"}
      </td>
      {fields.map((name) => (
        <td key={name}>{name.endsWith("Size") ? bytes(values.get(name)) : values.get(name)}</td>
      ))}
      <td>
        {pod && (
          <a href={objectLink(pod)}>
            {pod.name} <Health object={pod} />
          </a>
        )}
      </td>
    </tr>
  );
}

function podsByName(namespace: string | undefined): ReadonlyMap<string, ObjectSummary> {
  const pods = [...objects.value.values()].filter(
    (each) => each.kind === "Pod" && each.group === "" && each.namespace === namespace,
  );
  return new Map(pods.map((pod) => [pod.name, pod]));
}

/** Numbers of bytes as people read them; quantities stay as they are. */
function bytes(text: string | undefined): string | undefined {
  const number = Number(text);
  if (text === undefined || text === "" || !Number.isFinite(number)) return text;
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, number)) / 10)));
  return `${Math.round((number / 1024 ** step) * 10) / 10} ${units[step]}`;
}
