// Browsers on machines without a mathematical font draw subscripts on the line; the style sheet lowers them then.
document.addEventListener("DOMContentLoaded", () => {
  const probe = document.createElement("div");
  probe.className = "md-typeset";
  probe.innerHTML = '<span class="maths"><math><msub><mi>x</mi><mi>x</mi></msub></math></span>';
  document.body.append(probe);
  const [base, below] = probe.querySelectorAll("mi");
  const lowered = below.getBoundingClientRect().bottom - base.getBoundingClientRect().bottom;
  document.documentElement.classList.toggle("flat-subscripts", lowered < 0.12 * base.getBoundingClientRect().height);
  probe.remove();
});
