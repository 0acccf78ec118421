@echo off
rem `trestle` of an installed app: its command line on the Node that comes with it.
"%~dp0trestle-node.exe" "%~dp0..\app.asar.unpacked\out\main\cli.js" %*
