import { call } from "./api.js";

const envelope = await call("GET", "/v1/status");
document.getElementById("health").textContent = envelope.status;
