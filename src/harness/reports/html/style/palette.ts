/** Colours, of day and of night. What a colour says is said by a mark or a word too. */
export const palette = `
:root { color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --sunk: #f3f4f6; --text: #1c1f24; --muted: #59616e; --edge: #dfe2e7; --accent: #1f5fbf;
  --passed: #1a7f37; --failed: #c4202c; --flaky: #8a5a00; --skipped: #646d78;
  --out: #e4f5e8; --in: #fdeaea; --p50: #1f5fbf; --p95: #6d9fe6; --p99: #c2d8f6; --focus: #1f5fbf; }
@media screen and (prefers-color-scheme: dark) { :root {
  --page: #0e1116; --card: #161a21; --sunk: #0f1319; --text: #e4e7eb; --muted: #9aa4b2; --edge: #2a313b; --accent: #79b0ff;
  --passed: #4cc26a; --failed: #ff7b72; --flaky: #e0a93a; --skipped: #97a1ad;
  --out: #11301b; --in: #3c171a; --p50: #9cc5ff; --p95: #4a80cf; --p99: #2a4874; --focus: #79b0ff; } }
.passed { --status: var(--passed); } .failed { --status: var(--failed); }
.flaky, .interrupted { --status: var(--flaky); } .skipped { --status: var(--skipped); }
`;
