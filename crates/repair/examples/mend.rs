fn main() {
    let dir = std::path::PathBuf::from(std::env::args().nth(1).unwrap());
    let level = std::env::args().nth(2).unwrap_or_default();
    let only = std::env::args().nth(3).unwrap_or_default();
    for model in smithereens_testing::models::MODELS {
        if !model.file.contains(&only) { continue; }
        let mesh = smithereens_formats::read(&dir.join(model.file)).unwrap().mesh;
        let t = std::time::Instant::now();
        let level = if level == "remesh" { smithereens_repair::Level::Remesh } else { smithereens_repair::Level::Auto };
        let r = smithereens_repair::repair(&mesh, &smithereens_repair::RepairOptions { level, ..Default::default() });
        let t = t.elapsed();
        match r {
            Ok(r) => {
                println!("{:32} {:6.0} ms  V {:.4} faces {} islands {}  {}", model.file, t.as_secs_f64()*1e3, r.solid.volume(), r.solid.mesh().faces.len(), smithereens_geometry::islands::islands(r.solid.mesh()).len(), r.steps.iter().map(|s| s.to_string()).collect::<Vec<_>>().join("; "));
            }
            Err(e) => println!("{:32} {:6.0} ms  {e}", model.file, t.as_secs_f64()*1e3),
        }
    }
}
