import "./app.css";
import { render } from "preact";
import { App } from "./app.js";
import { connect } from "./connection.js";
import { startStore } from "./store.js";

connect();
startStore();
const root = document.getElementById("app");
if (root) {
  root.textContent = "";
  render(<App />, root);
}
