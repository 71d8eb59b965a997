// An object as YAML that can be changed: what is written goes through server-side apply, and a conflict names the other manager.
import { useState } from "preact/hooks";
import { call } from "../connection.js";
import { Notice } from "../parts/notice.js";

export function YamlEditor({ yaml, isSecret }: { readonly yaml: string; readonly isSecret: boolean }) {
  const [draft, setDraft] = useState<string | undefined>();
  const [problem, setProblem] = useState<
    { readonly message: string; readonly isConflict: boolean } | undefined
  >();
  const [isBusy, setBusy] = useState(false);
  const apply = async (force: boolean): Promise<void> => {
    setBusy(true);
    try {
      await call({ call: "edit", before: yaml, after: draft ?? "", force });
      setDraft(undefined);
      setProblem(undefined);
    } catch (error) {
      const { message, reason } = error as Error & { readonly reason?: string };
      setProblem({ message, isConflict: reason === "Conflict" });
    }
    setBusy(false);
  };
  if (draft === undefined)
    return (
      <>
        {isSecret ? (
          <Notice>Values of Secrets are not shown, and Secrets are not edited here.</Notice>
        ) : (
          <button type="button" onClick={() => setDraft(yaml)}>
            Edit
          </button>
        )}
        <pre class="yaml">{yaml}</pre>
      </>
    );
  return (
    <>
      <div class="actions">
        <button type="button" disabled={isBusy} onClick={() => void apply(false)}>
          Apply
        </button>
        {problem?.isConflict && (
          <button type="button" disabled={isBusy} onClick={() => void apply(true)}>
            Take the fields over
          </button>
        )}
        <button type="button" onClick={() => setDraft(undefined)}>
          Discard
        </button>
      </div>
      {problem && <Notice kind="warning">{problem.message}</Notice>}
      <p class="quiet">Only the fields you change are applied; one that another manager set is a conflict.</p>
      <textarea
        class="yaml"
        aria-label="The object as YAML"
        spellcheck={false}
        rows={Math.min(40, draft.split("\n").length + 2)}
        value={draft}
        onInput={(event) => setDraft(event.currentTarget.value)}
      />
    </>
  );
}
