import { openDataFolder } from '../../../../src/gateway/uploads/data-folder.js';

/** Opens the data folder, says so or why not, and keeps it until it is ended. */
const [, , path = ''] = process.argv;
try {
  await openDataFolder(path);
  process.stdout.write('open\n');
  setInterval(() => {}, 60_000);
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
}
