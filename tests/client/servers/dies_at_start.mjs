process.stderr.write('no configuration found\n');
process.exitCode = 7;
