"use strict";

// The page works without this file: it adds the arrow keys, keeps an impatient visitor from sending
// a used ballot, and takes the notice out of the address, so that a reload does not repeat it.

const forms = { ArrowLeft: "form.left", ArrowRight: "form.right" };
let sent = false;

addEventListener("keydown", (event) => {
  const selector = forms[event.key];
  if (!selector || event.repeat || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const form = document.querySelector(selector);
  if (!form) return;
  event.preventDefault();
  form.requestSubmit();
});

addEventListener("submit", (event) => {
  if (sent) event.preventDefault();
  sent = true;
  event.target.classList.add("picked");
});

// The browser may bring a left page back as it was.
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  sent = false;
  document.querySelectorAll(".picked").forEach((form) => form.classList.remove("picked"));
});

const address = new URL(location.href);
if (address.searchParams.has("voted")) {
  address.searchParams.delete("voted");
  history.replaceState(null, "", address);
}
