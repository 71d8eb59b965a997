import { expect, test } from "vitest";
import { parseMainSettings } from "./main-flags.js";

test.each([
  [["--leader-elect"], {}, { leaderElection: true }],
  [["--leader-elect=false"], {}, { leaderElection: false }],
  [["--no-leader-elect"], {}, { leaderElection: false }],
  [[], {}, { leaderElection: undefined, webhooks: true, health: undefined, metrics: undefined }],
  [[], { ENABLE_WEBHOOKS: "false" }, { webhooks: false }],
  [["--webhooks"], { ENABLE_WEBHOOKS: "false" }, { webhooks: true }],
  [["--metrics-bind-address=:8443"], {}, { metrics: { host: "0.0.0.0", port: 8443 } }],
  [["--metrics-bind-address", "[::1]:80"], {}, { metrics: { host: "::1", port: 80 } }],
  [["--health-probe-bind-address=0"], {}, { health: undefined }],
  [["--dashboard-bind-address=127.0.0.1:8082"], {}, { dashboard: { host: "127.0.0.1", port: 8082 } }],
  [[], { POD_NAMESPACE: "shop" }, { namespace: "shop" }],
  [["--namespace=other"], { POD_NAMESPACE: "shop" }, { namespace: "other" }],
  [["--tune=false"], {}, { tune: false }],
  [["--webhook-drain-seconds=1.5"], {}, { webhookDrain: 1_500 }],
  [["--webhook-drain-seconds=0"], {}, { webhookDrain: 0 }],
  [["--webhook-port=0", "--log-level=debug"], {}, { webhookPort: 0, logLevel: "debug" }],
])("the flags %j with the environment %j are parsed", (argv, env, settings) => {
  expect(parseMainSettings(argv, env)).toMatchObject(settings);
});

test.each([
  [["--bogus"], /Unknown option '--bogus'/],
  [["--metrics-bind-address=here"], /here is no address; write :8443/],
  [["--metrics-bind-address=:99999"], /no address/],
  [["--webhook-port=x"], /--webhook-port x: a number/],
  [["--webhook-drain-seconds=31"], /--webhook-drain-seconds 31: a number from 0 to 30/],
  [["--webhook-drain-seconds=long"], /a number from 0 to 30/],
  [["--log-level=loud"], /--log-level loud: one of debug, info, warn, error/],
])("the flags %j are refused", (argv, message) => {
  expect(() => parseMainSettings(argv, {})).toThrow(message);
});

test("the flag --help gives no settings", () => {
  expect(parseMainSettings(["--help"], {})).toBeUndefined();
});
