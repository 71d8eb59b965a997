// Asks for a token of the API server. It is kept for this tab, and sent to the dashboard and nobody else.
import { signal } from "@preact/signals";
import { signIn } from "../connection.js";
import { Notice } from "./notice.js";

const token = signal("");

/** `problem`: why a token that was said is not good. */
export function SignIn({ problem }: { readonly problem: string | undefined }) {
  return (
    <section class="sign-in">
      <h1>Sign in</h1>
      {problem !== undefined && <Notice kind="warning">Not signed in: {problem}.</Notice>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          signIn(token.value);
          token.value = "";
        }}
      >
        <label>
          Token{" "}
          <input
            type="password"
            autocomplete="off"
            required
            value={token.value}
            onInput={(event) => {
              token.value = event.currentTarget.value;
            }}
          />
        </label>{" "}
        <button type="submit">Sign in</button>
      </form>
      <p class="quiet">
        A token of the API server, for example of <code>kubectl create token NAME</code>. You see and change
        what its user may, and you need the permission to get the path <code>/dashboard</code>.
      </p>
    </section>
  );
}
