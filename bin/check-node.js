/** Ends the process with a message where Node is too old. It is JavaScript that any version of Node can run. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 7)) {
  console.error(
    `Fairlead needs Node 24.7 or newer; this is ${process.version}. Run npm install without --omit=optional, which brings Node 24 where there is one for this system, or install Node 24.`,
  );
  process.exit(1);
}
