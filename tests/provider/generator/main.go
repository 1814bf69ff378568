// Writes the TypeScript and Go SDKs of a package's schema: go run . SCHEMA FOLDER
package main

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"

	golang "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	check(err)
	var spec schema.PackageSpec
	check(json.Unmarshal(text, &spec))
	pkg, found, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
	check(err)
	if found.HasErrors() {
		log.Fatal(found)
	}
	files, err := nodejs.GeneratePackage("gpuinfra", pkg, nil, nil, false, nil)
	check(err)
	write("nodejs", files)
	files, err = golang.GeneratePackage("gpuinfra", pkg, nil)
	check(err)
	write("go", files)
}

func write(language string, files map[string][]byte) {
	for name, text := range files {
		path := filepath.Join(os.Args[2], language, name)
		check(os.MkdirAll(filepath.Dir(path), 0o755))
		check(os.WriteFile(path, text, 0o644))
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
